import RxSwift

extension Table {
    static let schedulingRows: [Row] = [
        Row("observe(on:)", "virtual", [.exact]) { $0.a.observe(on: $0.scheduler) },
        Row("observe(on:)", "serial queue", [.exact]) { $0.a.observe(on: $0.serial()) },
        Row("observe(on:)", "current thread", [.exact]) { $0.a.observe(on: CurrentThreadScheduler.instance) },
        Row("subscribe(on:)", "virtual", [.exact]) { $0.a.subscribe(on: $0.scheduler) },
        Row("subscribe(on:)", "serial queue", [.exact]) { $0.a.subscribe(on: $0.serial()) },
    ]
}
