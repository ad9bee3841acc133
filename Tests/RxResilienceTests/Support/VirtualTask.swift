@_spi(RxServer) import RxSwift
import RxTest

/// Runs asynchronous work in virtual time: its tasks run as actions of the scheduler, on the calling thread. Returns
/// when no action is left.
///
/// - Throws: the error of the work, or `RxError.noElements` if the work waits forever.
func onVirtualTime<Value: Sendable>(
    _ scheduler: TestScheduler, _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let clock = TestClock(scheduler)
    let outcome = Outcome<Value>()
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

/// The result of the work. Only the thread that runs the scheduler uses it.
private final class Outcome<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

extension TestScheduler {
    static func milliseconds() -> TestScheduler {
        TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    }

    func run(_ body: () -> any Disposable) {
        let subscription = body()
        start()
        subscription.dispose()
    }
}
