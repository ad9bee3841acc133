import RxSwift
import RxSwiftExt

extension Example {
    static let creating: [Example] = [
        Example("create") { m in
            let calls = { @Sendable (observer: AnyObserver<Int>) in m.calls.subscribe(observer) }
            return Observable.create { calls($0) }
        },
        Example(results: "using") { m in
            let (resource, numbers) = (PublishSubject<String>(), m.numbers)
            let opened = { @Sendable in
                resource.onNext("o")
                return CompositeDisposable(disposables: [Disposables.create { resource.onNext("c") }])
            }
            m.result(resource, of: "resource")
            m.result(Observable.using({ opened() }) { _ in numbers })
        },
        Example("just") { _ in Observable.just(1) },
        Example("empty") { _ in Observable<Int>.empty() },
        Example("never") { _ in Observable<Int>.never() },
        Example("error") { m in Observable<Int>.error(m.e) },
        Example("deferred") { _ in
            let now = { @Sendable in "t" }
            return Observable<String>.deferred { .just(now()) }
        },
        Example("of") { m in Observable.of(1, 2, 3, scheduler: m.steps) },
        Example("from") { m in Observable.from([1, 2, 3], scheduler: m.steps) },
        Example("repeat-element") { m in Observable.repeatElement(7, scheduler: m.steps) },
        Example("range") { m in Observable.range(start: 3, count: 3, scheduler: m.steps) },
        Example("generate") { m in
            Observable.generate(
                initialState: 0, condition: { $0 < 3 }, scheduler: m.steps, iterate: { $0 + 1 })
        },
        Example("interval") { m in Observable<Int>.interval(2.columns, scheduler: m.clock) },
        Example(results: "timer") { m in
            m.result(Observable<Int>.timer(4.columns, scheduler: m.clock))
            m.result(Observable<Int>.timer(4.columns, period: 2.columns, scheduler: m.clock))
        },
        Example(results: "once") { m in
            let once = Observable.once(1)
            m.result(once)
            m.result(once)
        },
        Example("from-async") { m in
            let answer = { @Sendable (handler: @escaping (Int) -> Void) in m.after(3) { handler(7) } }
            return Observable.fromAsync(answer)
        },
    ]
}
