import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct ZipWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeInPairs() {
        let (a, b) = (scheduler.hot("210:1 220:2 240|"), scheduler.hot("230:7 250:8 260|"))
        #expect(scheduler.start { a.zip(with: b) { $0 * 10 + $1 } }.marble == "230:17 250:28 260|")
    }

    @Test func traitsMayBeZipped() {
        #expect(seen(Single.just(1).zip(with: Observable.of(2, 3)) { $0 + $1 }) == "3 completed")
    }
}
