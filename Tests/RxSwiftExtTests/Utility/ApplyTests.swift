import RxSwiftExt
import TestSupport
import Testing

struct ApplyTests {
    private func doubled(_ source: Observable<Int>) -> Observable<String> {
        source.map { "\($0 * 2)" }
    }

    @Test func aSequenceIsTransformed() {
        outcome("--1-|") { $0.apply(doubled) }.expect("--2-|", subscribed: "^---!")
    }

    @Test func aTraitIsTransformed() {
        #expect(seen(Single.just(1).apply { $0.map { $0 * 2 } }.asObservable()) == "2 completed")
        #expect(seen(Maybe<Int>.empty().apply { $0.map { "\($0)" } }.asObservable()) == "completed")
    }
}
