import RxSwift
import RxTest

/// Runs asynchronous work on virtual time, all of it on the calling thread: the tasks are actions of the scheduler.
///
/// The scheduler must not simulate a delay of processing. It runs to its end.
///
/// - Throws: what the work throws, and `RxError.noElements` where it waits for ever.
func onVirtualTime<Value: Sendable>(
    _ scheduler: TestScheduler, _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let executor = VirtualExecutor(scheduler)
    let outcome = Outcome<Value>()
    // The tasks that the work starts inherit where to run.
    let task = WorkExecutor.preferred.withValue(executor) {
        let task = Task(executorPreference: executor) {
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

/// Runs the work of tasks as actions of a scheduler, at the present virtual time.
private final class VirtualExecutor: TaskExecutor {
    private let scheduler: TestScheduler

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = scheduler.schedule(()) {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            return Disposables.create()
        }
    }
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
