#if Foundation
    internal import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxSwift

    /// Cancels a task of a session, unless it has ended.
    ///
    /// FoundationNetworking stops the process if a task ends while it is being cancelled, which usually happens with a
    /// response from the cache. `cancel()` leaves most of its work to the task's queue, now or after the cache has
    /// answered. That work looks up the task, which the session forgets when its handler has returned. So the handler
    /// first calls ``taskHasEnded()``:
    ///
    /// 1. A task whose handler has begun is not cancelled.
    /// 2. If the task is being cancelled, its handler waits until that work has been done: the work begins by setting
    ///    the task's error to a cancellation, and a further `cancel()` only waits for the queue on which it runs. The
    ///    wait blocks the session's delegate queue for a moment; if the work never begins, for a second. The handler's
    ///    own event is dropped in that case, because the subscription has been disposed of.
    ///
    /// `cancel()` waits for the task's queue, and a disposal must not wait, so `cancel()` is called on a thread of a
    /// global queue.
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

        /// Called by the task's handler before anything else.
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
