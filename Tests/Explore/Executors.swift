import CRxCore
import CRxExplorer
@_spi(RxServer) import RxSwift
import RxTest

/// Replaces Swift's pool: runs each job of a task on its own controlled thread.
final class TaskThreads: TaskExecutor {
    static let shared = TaskThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        crx_explore_accept()
        spawn { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs an actor's jobs on a controlled thread, one at a time.
// @unchecked Sendable because only the controlled thread that runs, or the caller after the run, uses it.
final class ActorThread: SerialExecutor, @unchecked Sendable {
    private var jobs: [UnownedJob] = []
    private var isDraining = false

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
        crx_explore_accept()
        if isDraining { return }
        isDraining = true
        spawn { [self] in
            while !jobs.isEmpty { jobs.removeFirst().runSynchronously(on: asUnownedSerialExecutor()) }
            isDraining = false
        }
    }
}

actor ExploredActor {
    private let executor = ActorThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs `body` on a controlled thread. If the run has ended, runs `body` on the calling thread.
private func spawn(_ body: @escaping () -> Void) {
    let onThread = { WorkExecutor.preferred.withValue(TaskThreads.shared, operation: body) }
    if Schedule.spawn(onThread) == nil { body() }
}
