import Dispatch

/// An actor with its own dispatch queue, which works even while tests block the threads of Swift's pool.
package actor QueueActor {
    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "actor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private static let made = Guarded<[QueueActor]>([])
    private let executor = Executor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package static func make() -> QueueActor {
        let actor = QueueActor()
        made.withLock { $0.append(actor) }
        return actor
    }
}
