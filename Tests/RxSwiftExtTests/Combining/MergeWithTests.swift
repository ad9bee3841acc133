import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct MergeWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeAsTheyAreSent() {
        let (a, b) = (scheduler.hot("--1---3-|"), scheduler.hot("----2-----4-|"))
        scheduler.start { a.asObservable().merge(with: b.asObservable()) }.expect("--1-2-3---4-|")
    }

    @Test func severalMayBeMerged() {
        let sources = ["--1-----|", "----2-----|", "------3-----|"].map { scheduler.hot($0).asObservable() }
        scheduler.start { sources[0].merge(with: Array(sources[1...])) }.expect("--1-2-3-----|")
    }
}
