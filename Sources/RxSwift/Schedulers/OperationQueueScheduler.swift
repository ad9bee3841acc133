#if Foundation
    public import Foundation

    /// Runs work on an operation queue, each piece as an operation of its own.
    ///
    /// Any thread may schedule and dispose; how many pieces run at once is the queue's `maxConcurrentOperationCount`. It needs all of
    /// Foundation, so it is there only with the package trait `Foundation`, which is on by default.
    // @unchecked Sendable because its properties never change and any thread may use them.
    public class OperationQueueScheduler: ImmediateSchedulerType, @unchecked Sendable {
        /// Where the work runs.
        public let operationQueue: OperationQueue

        /// The priority of its operations.
        public let queuePriority: Operation.QueuePriority

        /// Makes a scheduler that runs on an operation queue.
        public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
            self.operationQueue = operationQueue
            self.queuePriority = queuePriority
        }

        /// Adds an action to the queue.
        public func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
            let job = ScheduledAction { action(state) }
            let operation = BlockOperation { job.run() }
            operation.queuePriority = queuePriority
            operationQueue.addOperation(operation)
            return job
        }
    }
#endif
