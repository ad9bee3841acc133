import Dispatch

package final class InlineExecutor: TaskExecutor {
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Runs tasks even while tests block the threads of Swift's pool.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    package func settle() {
        queue.sync {}
    }
}
