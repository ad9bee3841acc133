import RxSwift
import RxTest
import XCTest

final class XCTestTests: XCTestCase {
    let scheduler = TestScheduler(initialClock: 0)

    func testExpectations() {
        let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
        let observer = scheduler.start { source.map { $0 * 10 } }
        observer.expect("--a--b--|", values: ["a": 10, "b": 20])
        source.expectSubscriptions("^-------!")
        XCTAssertEqual(observer.events, [.next(202, 10), .next(205, 20), .completed(208)])
    }

    func testClock() {
        let clock = TestClock(scheduler)
        let observer = scheduler.createObserver(Int.self)
        Task(executorPreference: clock) {
            try await clock.sleep(for: .seconds(3))
            observer.onNext(1)
        }
        scheduler.start()
        observer.expect("---1", from: 0)
    }

    /// Fails once if `EXPECT_FAILURE` is set.
    func testFailure() {
        guard ProcessInfo.processInfo.environment["EXPECT_FAILURE"] != nil else { return }
        scheduler.start { Observable.just(1) }.expect("-(1|)")
    }
}
