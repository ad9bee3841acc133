import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct WithDeadlineTests {
    private let scheduler = TestScheduler.milliseconds()
    private let log = Log()

    @Test func workIsCancelledAtItsDeadline() {
        #expect(throws: TimeoutError(exceeded: .deadline, limit: .milliseconds(40))) {
            try onVirtualTime(scheduler) { [scheduler, log] in
                try await withDeadline(in: .milliseconds(40), scheduler: scheduler) {
                    log(Deadline.current.map { "\($0.remaining)" } ?? "none")
                    do {
                        _ = try await Single<Int>.timer(.seconds(9), scheduler: scheduler).value
                    } catch {
                        log("\(error is CancellationError)@\(scheduler.clock)")
                        throw error
                    }
                }
            }
        }
        #expect(log.entries == ["\(RxTimeInterval.nanoseconds(40_000_000))", "true@40"])
        #expect(scheduler.clock == 40)
    }

    @Test func workInTimeReturns() throws {
        let value = try onVirtualTime(scheduler) { [scheduler] in
            try await withDeadline(in: .seconds(4), scheduler: scheduler) {
                try await withDeadline(in: .seconds(9), scheduler: scheduler) {
                    "\(Deadline.current?.span ?? .never)"
                }
            }
        }
        #expect(value == "\(RxTimeInterval.seconds(4))")
        #expect(scheduler.clock == 0)
    }

    @Test func anErrorInTimeIsThrown() {
        #expect(throws: TestError.a) {
            try onVirtualTime(scheduler) { [scheduler] in
                try await withDeadline(in: .seconds(4), scheduler: scheduler) { throw TestError.a }
            }
        }
        #expect(scheduler.clock == 0)
    }

    @Test func workAfterDeadlineDoesNotStart() {
        #expect(throws: TimeoutError(exceeded: .deadline, limit: .seconds(0))) {
            try onVirtualTime(scheduler) { [scheduler, log] in
                try await withDeadline(in: .seconds(0), scheduler: scheduler) { log("begun") }
            }
        }
        #expect(log.text == "")
    }

    @Test func cancelledWorkDecidesItsOwnResult() throws {
        let value = try onVirtualTime(scheduler) { [scheduler, log] in
            try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    try await withDeadline(in: .seconds(4), scheduler: scheduler) {
                        _ = try? await Single<Int>.timer(.seconds(1), scheduler: scheduler).value
                        log("cancelled@\(scheduler.clock)")
                        return "done"
                    }
                }
                _ = try await Single<Int>.timer(.milliseconds(20), scheduler: scheduler).value
                group.cancelAll()
                return try await group.next()!
            }
        }
        #expect(value == "done")
        #expect(log.text == "cancelled@20")
    }

    /// Cancels a call after 20 ms. Its work ends 30 ms later.
    private func cancelledCall(in span: RxTimeInterval, fails: Bool = false) throws -> String {
        try onVirtualTime(scheduler) { [scheduler] in
            try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    try await withDeadline(in: span, scheduler: scheduler) {
                        _ = try? await Single<Int>.timer(.seconds(1), scheduler: scheduler).value
                        await withCheckedContinuation { continuation in
                            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(30)) {
                                continuation.resume()
                                return Disposables.create()
                            }
                        }
                        if fails { throw TestError.a }
                        return "done@\(scheduler.clock)"
                    }
                }
                _ = try await Single<Int>.timer(.milliseconds(20), scheduler: scheduler).value
                group.cancelAll()
                return try await group.next()!
            }
        }
    }

    @Test func cancelledWorkIsAwaitedUntilItReturns() throws {
        #expect(try cancelledCall(in: .seconds(4)) == "done@50")
    }

    @Test(arguments: [false, true]) func cancelledWorkThatEndsAfterDeadlineThrowsTimeout(fails: Bool) {
        #expect(throws: TimeoutError(exceeded: .deadline, limit: .milliseconds(40))) {
            try cancelledCall(in: .milliseconds(40), fails: fails)
        }
        #expect(scheduler.clock == 50)
    }
}
