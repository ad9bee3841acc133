import RxCocoa
import RxSwift

extension Example {
    static let traits: [Example] = [
        Example(results: "single-trait") { m in
            m.result(Single.just(1).delay(6.columns, scheduler: m.clock), of: "a single")
            m.result(Single<Int>.timer(6.columns, scheduler: m.clock).map { _ in throw m.e }, of: "or")
        },
        Example(results: "maybe-trait") { m in
            m.result(Maybe.just(1).delay(6.columns, scheduler: m.clock), of: "a maybe")
            m.result(Maybe<Int>.empty().delay(6.columns, scheduler: m.clock), of: "or")
            m.result(Maybe<Int>.timer(6.columns, scheduler: m.clock).map { _ in throw m.e }, of: "or")
        },
        Example(results: "completable-trait") { m in
            let later = Single<Int>.timer(6.columns, scheduler: m.clock)
            m.result(later.asCompletable(), of: "a completable")
            m.result(later.map { _ in throw m.e }.asCompletable(), of: "or")
        },
        Example("as-driver") { m in m.source.asDriver(onErrorJustReturn: 9) },
        Example("as-signal") { m in m.source.asSignal(onErrorSignalWith: .empty()) },
        Example(results: "driver") { m in
            let driver = m.driver.asDriver(onErrorJustReturn: 0)
            m.after(0) { _ = driver.drive() }
            m.result(driver)
        },
        Example(results: "signal") { m in
            let signal = m.signal.asSignal(onErrorJustReturn: 0)
            m.after(0) { _ = signal.emit() }
            m.result(signal)
        },
    ]
}
