import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct ZipWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeInPairs() {
        let (a, b) = (scheduler.hot("--1-2---|"), scheduler.hot("------7---8-|"))
        scheduler.start { a.zip(with: b) { $0 * 10 + $1 } }.expect("------a---b-|", values: ["a": 17, "b": 28])
    }

    @Test func traitsMayBeZipped() {
        #expect(seen(Single.just(1).zip(with: Observable.of(2, 3)) { $0 + $1 }) == "3 completed")
    }
}
