import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct ZipWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeInPairs() {
        let (a, b) = (scheduler.hot("{10}1{9}2{19}|"), scheduler.hot("{30}7{19}8{9}|"))
        scheduler.start { a.zip(with: b) { $0 * 10 + $1 } }.expect("{30}a{19}b{9}|", values: ["a": 17, "b": 28])
    }

    @Test func traitsMayBeZipped() {
        #expect(seen(Single.just(1).zip(with: Observable.of(2, 3)) { $0 + $1 }) == "3 completed")
    }
}
