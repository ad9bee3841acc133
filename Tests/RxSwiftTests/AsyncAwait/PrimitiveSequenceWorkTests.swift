import RxSwift
import TestSupport
import Testing

struct PrimitiveSequenceWorkTests {
    @Test func resultOfWorkIsSent() async throws {
        #expect(try await Single<Int>.create { 5 }.value == 5)
        #expect(try await Single<Int>.create(detached: true, priority: .high) { 6 }.value == 6)
        await #expect(throws: TestError.a) {
            try await Single<Int>.create { () async throws -> Int in throw TestError.a }.value
        }
    }

    @Test func disposalCancelsTheWork() async {
        let (log, tracker) = (Log(), LifetimeTracker())
        func work(_ held: LifetimeTracker.Tracked) -> Single<Int> {
            .create {
                while !Task.isCancelled { await Task.yield() }
                log("cancelled")
                return held.value
            }
        }
        work(tracker.make(5)).subscribe(onSuccess: { log($0) }).dispose()
        // The task retains the tracked value until the task ends.
        await until { tracker.live == 0 }
        #expect(log.text == "cancelled")
    }
}
