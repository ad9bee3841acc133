#if Foundation
    internal import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxSwift

    /// Cancels a task of a session, unless the task has ended.
    ///
    /// FoundationNetworking stops the process if a task ends while it is being cancelled. That is frequent with cached
    /// responses. `cancel()` does most of its work later, on the task's queue, where it looks up the task in the
    /// session. But the session removes a task when the task's handler has returned. So the handler first calls
    /// ``taskHasEnded()``:
    ///
    /// 1. A task whose handler has begun is not cancelled.
    /// 2. If the task is being cancelled, its handler waits until `cancel()` has set the task's error. That is
    ///    the first step of `cancel()` on the task's queue. The handler then calls `cancel()` again. This call waits
    ///    until the task's queue has finished the earlier one. The wait blocks the session's delegate queue briefly, or
    ///    for a second if the error is never set. The handler's event is dropped, because the subscription has been
    ///    disposed of.
    ///
    /// A disposal must not wait for the task's queue, so `cancel()` is called on a global queue.
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

        /// Forbids a later cancellation, and waits for one in progress.
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
