internal import CRxCore
import RxSwift

/// Runs the jobs of tasks and actors on a thread of an ``ExploredWorld``, in the order of their arrival.
///
/// ```swift
/// actor Ledger {
///     let executor: ExploredExecutor
///     init(on executor: ExploredExecutor) { self.executor = executor }
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
///
/// - A task takes the executor as its preference: `Task(executorPreference: world.executor("reader")) { ... }`.
/// - An actor returns the executor as in the example. The exploration then controls the actor's calls, and jobs of its
///   `ActorScheduler`.
/// - If a job is enqueued after the run, the enqueuing thread executes the job at once. If a thread is already
///   executing such jobs of the world, that thread executes the new job instead.
/// - If an uncontrolled thread enqueues a job during the run, the exploration fails. The job runs after the threads of
///   the world, on the exploring thread.
///
/// Guard: both properties are constant, and the world and the scheduler have guards of their own.
public final class ExploredExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {  // because of the guard above
    private let world: ExploredWorld
    /// The scheduler of the jobs; nil if each job runs on a separate thread.
    private let scheduler: ExploredScheduler?

    init(_ world: ExploredWorld, _ scheduler: ExploredScheduler?) {
        (self.world, self.scheduler) = (world, scheduler)
    }

    /// Accepts `job`. Called by Swift.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        crx_explore_accept()
        let phase = world.phase
        if phase == .running, crx_explore_current() < 0 {
            world.refuse("a task of the world was resumed on a thread that the world does not control")
            world.runAfterRun(job, on: self)
        } else if phase == .ended {
            world.runAfterRun(job, on: self)
        } else if let scheduler {
            scheduler.enqueue(
                ExploredJob {
                    self.run(job)
                    return Disposables.create()
                })
        } else {
            world.spawn("task") { self.run(job) }
        }
    }

    func run(_ job: UnownedJob) {
        if scheduler == nil {
            job.runSynchronously(on: asUnownedTaskExecutor())
        } else {
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}
