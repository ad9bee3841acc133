import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestableObserverTests {
    @Test func observerRecordsEventsWithTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(10) { observer.onNext(1) }
        scheduler.start()
        observer.onCompleted()
        observer.onNext(3)
        #expect(observer.events == [.next(10, 1), .completed(10), .next(10, 3)])
    }

    @Test func recordsFromManyThreads() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        try runConcurrently(threads: 4) { index in
            for _ in 0..<1000 { observer.onNext(index) }
        }
        #expect(observer.events.count == 4000)
    }
}
