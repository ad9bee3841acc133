#if Foundation
    internal import CRxCore
    public import Foundation

    /// Runs jobs on an operation queue, each as its own operation.
    ///
    /// Needs the package trait `Foundation` (on by default).
    ///
    /// - Threads: those of the queue; its `maxConcurrentOperationCount` limits the number of concurrent jobs. Any
    ///   thread may schedule and dispose.
    /// - Order: first in, first out, one at a time, if `maxConcurrentOperationCount` is 1 and all operations have the
    ///   same priority. Otherwise only the events of one chain are serial and in order.
    /// - Disposal: a job that is disposed of before its turn never runs and is released at once. A running job is
    ///   completed.
    // @unchecked Sendable because its properties never change, and any thread may use them.
    public class OperationQueueScheduler: ImmediateSchedulerType, @unchecked Sendable {
        /// The queue on which the jobs run.
        public let operationQueue: OperationQueue

        /// The priority of the scheduler's operations.
        public let queuePriority: Operation.QueuePriority

        /// Makes a scheduler with operations of priority `queuePriority` on `operationQueue`.
        public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
            self.operationQueue = operationQueue
            self.queuePriority = queuePriority
            // Jobs run later, so `dlclose` must not unload the library.
            crx_image_keep()
        }

        @preconcurrency
        public func schedule<StateType>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            let job = ScheduledAction { action(state) }
            let operation = BlockOperation { job.run() }
            operation.queuePriority = queuePriority
            operationQueue.addOperation(operation)
            return job
        }
    }
#endif
