import Foundation
import RxSwift
import RxTest
import Testing

@Suite struct SwiftTestingTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func expectations() {
        let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
        let observer = scheduler.start { source.map { $0 * 10 } }
        observer.expect("--a--b--|", values: ["a": 10, "b": 20])
        source.expectSubscriptions("^-------!")
        #expect(observer.events == [.next(202, 10), .next(205, 20), .completed(208)])
    }

    @Test func clock() async throws {
        let clock = TestClock(scheduler)
        let task = Task(executorPreference: clock) {
            try await clock.sleep(for: .seconds(3))
            return clock.now.offset
        }
        scheduler.start()
        #expect(try await task.value == .seconds(3))
    }

    /// Fails once if `EXPECT_FAILURE` is set.
    @Test func failure() {
        guard ProcessInfo.processInfo.environment["EXPECT_FAILURE"] != nil else { return }
        scheduler.start { Observable.just(1) }.expect("-(1|)")
    }
}
