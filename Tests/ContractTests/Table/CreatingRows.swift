import Dispatch
import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Table {
    static let creatingRows: [Row] = [
        Row("static create(flow:)", "", [.exact]) { rig in
            let hook = rig.hook()
            let source = rig.a
            return Observable.create(flow: { observer in
                hook.quietly()
                return source.subscribe { observer.on($0) }
            })
        },
        Row("static create(_:)", "", [.exact]) { rig in
            let hook = rig.hook()
            let source = rig.a
            return Observable.create { observer in
                hook.quietly()
                return source.subscribe { observer.on($0) }
            }
        },
        Row("static just(_:)") { Observable.just($0.make()) },
        Row("static just(_:scheduler:)") { Observable.just($0.make(), scheduler: $0.scheduler) },
        Row("static of(_:scheduler:)") { Observable.of($0.make(), $0.make(), $0.make()) },
        Row("static of(_:scheduler:)", "scheduler") {
            Observable.of($0.make(), $0.make(), $0.make(), scheduler: $0.scheduler)
        },
        Row("static from(_:scheduler:)", "array") { Observable.from([$0.make(), $0.make()]) },
        Row("static from(_:scheduler:)", "sequence") { rig in Observable.from(AnySequence([rig.make(), rig.make()])) },
        Row("static from(_:scheduler:)", "sequence, scheduler") {
            Observable.from(AnySequence([$0.make(), $0.make()]), scheduler: $0.scheduler)
        },
        Row("static from(optional:)") { Observable.from(optional: $0.make()) },
        Row("static from(optional:scheduler:)") { Observable.from(optional: $0.make(), scheduler: $0.scheduler) },
        Row("static empty()") { _ in Observable<Tracked>.empty() },
        Row("static never()", "", [.endless]) { _ in Observable<Tracked>.never() },
        Row("static error(_:)", "", [.fails]) { Observable<Tracked>.error(TrackedError(payload: $0.make())) },
        Row("static deferred(_:)", "", [.throwing, .exact, .prepares]) { rig in
            let hook = rig.hook()
            let source = rig.a
            return Observable.deferred {
                try hook()
                return source
            }
        },
        Row("static range(start:count:scheduler:)") { _ in Observable.range(start: 1, count: 3) },
        Row("static range(start:count:scheduler:)", "scheduler") {
            Observable.range(start: 1, count: 3, scheduler: $0.scheduler)
        },
        Row("static repeatElement(_:scheduler:)", "take", [.endsItself]) {
            Observable.repeatElement($0.make()).take(3)
        },
        Row("static generate(initialState:condition:scheduler:iterate:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.generate(initialState: 0, condition: { $0 < 3 }) { state in
                try hook()
                return state + 1
            }
        },
        Row("static generate(initialState:condition:scheduler:iterate:)", "scheduler", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.generate(
                initialState: rig.make(),
                condition: {
                    try hook()
                    return $0.value < 3
                },
                scheduler: rig.scheduler,
                iterate: { rig.make($0.value + 1) })
        },
        Row("static using(_:observableFactory:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            let source = rig.a
            return Observable.using({ CompositeDisposable(disposables: [Disposables.create { hook.quietly() }]) }) {
                _ in
                try hook()
                return source
            }
        },
        Row("static interval(_:scheduler:)", "", [.endless]) {
            Observable<Int>.interval(.seconds(20), scheduler: $0.scheduler)
        },
        Row("static timer(_:period:scheduler:)", "once") {
            Observable<Int>.timer(.seconds(1), scheduler: $0.scheduler)
        },
        Row("static timer(_:period:scheduler:)", "periodic", [.endless]) {
            Observable<Int>.timer(.seconds(1), period: .seconds(20), scheduler: $0.scheduler)
        },
        Row("static lines(of:following:)") { _ in Row.Form(lines: "a\nb\n") { .lines(of: $0) } },
    ]
}

extension Row.Form {
    /// Reads from a pipe that holds `text`, and waits for the end.
    ///
    /// The bytes may be read at any time, so the laws about threads, disposal and release cannot be checked.
    /// `LinesTests` tests disposal.
    init(lines text: String, _ read: @escaping (Int32) -> Observable<String>) {
        subscribe = { probe in
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0 && write(ends[1], text, text.utf8.count) == text.utf8.count)
            close(ends[1])
            defer { close(ends[0]) }
            let ended = DispatchSemaphore(value: 0)
            let subscription = read(ends[0]).subscribe { event in
                probe.on(event)
                if event.isStopEvent { ended.signal() }
            }
            _ = ended.wait(timeout: .now() + 10)
            return subscription
        }
    }
}
