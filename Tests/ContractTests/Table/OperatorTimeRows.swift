import RxOperators

extension Table {
    static let operatorTimeRows: [Row] = [
        Row("timeInterval(scheduler:)", "", [.exact]) { $0.a.timeInterval(scheduler: $0.scheduler) },
        Row("skipLast(_:)") { $0.a.skipLast(1) },
        Row("skipLast(for:scheduler:)") { $0.a.skipLast(for: .milliseconds(1), scheduler: $0.scheduler) },
        Row("skipLast(for:scheduler:)", "at once", [.exact]) {
            $0.a.skipLast(for: .seconds(0), scheduler: $0.scheduler)
        },
        Row("takeLast(for:scheduler:)") { $0.a.takeLast(for: .seconds(1000), scheduler: $0.scheduler) },
        Row("static timer(at:scheduler:)") {
            Observable<Int>.timer(at: $0.scheduler.now.advanced(by: 1), scheduler: $0.scheduler)
        },
    ]
}
