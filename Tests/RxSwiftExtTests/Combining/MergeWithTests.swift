import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct MergeWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeAsTheyAreSent() {
        let (a, b) = (scheduler.hot("210:1 230:3 240|"), scheduler.hot("220:2 250:4 260|"))
        #expect(
            scheduler.start { a.asObservable().merge(with: b.asObservable()) }.marble == "210:1 220:2 230:3 250:4 260|")
    }

    @Test func severalMayBeMerged() {
        let sources = ["210:1 240|", "220:2 250|", "230:3 260|"].map { scheduler.hot($0).asObservable() }
        #expect(scheduler.start { sources[0].merge(with: Array(sources[1...])) }.marble == "210:1 220:2 230:3 260|")
    }
}
