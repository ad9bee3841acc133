import CRxCore
import RxSwift

/// Runs tasks as actions of a ``ManualScheduler`` at the current virtual time.
final class ManualExecutor: TaskExecutor {
    private let scheduler: ManualScheduler

    init(_ scheduler: ManualScheduler) {
        self.scheduler = scheduler
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Tells the explorer that a thread under its control will run this job.
        crx_explore_accept()
        _ = scheduler.schedule(()) {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            return Disposables.create()
        }
    }
}
