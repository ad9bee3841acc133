#if Foundation
    internal import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxSwift

    /// Cancels a task of a session, unless it has ended.
    ///
    /// FoundationNetworking stops the process if a task ends while it is being cancelled, which a response from the
    /// cache does as a rule: `cancel()` leaves most of its work to the task's queue, now or once the cache has
    /// answered, and that work looks the task up, which is forgotten once its handler has returned. So the handler asks
    /// here first:
    ///
    /// 1. A task whose handler has begun is not cancelled.
    /// 2. The handler of one that is being cancelled waits until that work is done: it begins by giving the task the
    ///    error of a cancellation, and a further `cancel()` does nothing but wait for the queue it runs on. The wait
    ///    holds the session's delegate queue up for a moment, and should the work never begin, for a second. The
    ///    handler's own event goes nowhere then: who cancels has disposed of the subscription.
    ///
    /// `cancel()` waits for the task's queue, and a disposal waits for nobody, so it is called on a thread that the
    /// library gives.
    final class TaskCancellation: Sendable {
        private enum State {
            case running
            case cancelling(URLSessionTask)
            case ended
        }

        private let state = Locked(State.running)

        func cancel(_ task: URLSessionTask) {
            let isRunning = state.withLock { state in
                guard case .running = state else { return false }
                state = .cancelling(task)
                return true
            }
            if isRunning { DispatchQueue.global().async { task.cancel() } }
        }

        /// To be called by the task's handler before anything else.
        func taskHasEnded() {
            let before = state.withLock { state in
                defer { state = .ended }
                return state
            }
            guard case .cancelling(let task) = before else { return }
            task.cancel()
            for _ in 0..<1_000 where (task.error as? URLError)?.code != .cancelled {
                Thread.sleep(forTimeInterval: 0.001)
                task.cancel()
            }
            task.cancel()
        }
    }
#endif
