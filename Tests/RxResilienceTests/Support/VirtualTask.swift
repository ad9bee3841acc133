@_spi(RxServer) import RxSwift
import RxTest

/// Runs asynchronous work on virtual time, all of it on the calling thread: the tasks are actions of the scheduler.
///
/// The scheduler runs to its end.
///
/// - Throws: what the work throws, and `RxError.noElements` where it waits for ever.
func onVirtualTime<Value: Sendable>(
    _ scheduler: TestScheduler, _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let clock = TestClock(scheduler)
    let outcome = Outcome<Value>()
    // The tasks that the work starts inherit where to run.
    let task = WorkExecutor.preferred.withValue(clock) {
        let task = Task(executorPreference: clock) {
            do { outcome.result = .success(try await work()) } catch { outcome.result = .failure(error) }
        }
        scheduler.start()
        return task
    }
    guard let result = outcome.result else {
        task.cancel()
        scheduler.start()
        throw RxError.noElements
    }
    return try result.get()
}

/// Touched by the thread that runs the scheduler alone.
private final class Outcome<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

extension TestScheduler {
    /// A scheduler whose steps are milliseconds, and on which work takes no time.
    static func milliseconds() -> TestScheduler {
        TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    }

    /// Does something, notes what it subscribes to, and runs to the end.
    func run(_ body: () -> any Disposable) {
        let subscription = body()
        start()
        subscription.dispose()
    }
}
