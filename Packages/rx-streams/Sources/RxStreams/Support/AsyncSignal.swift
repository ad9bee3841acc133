import RxSwift
import Synchronization

/// Wakes tasks that wait for a change.
///
/// A waiting task first reads `count`, then checks its condition, then waits until `count` is higher. So it misses no
/// signal.
///
/// Guards: `state` is protected by its lock. The code that removes a waiter resumes it exactly once, outside of the
/// lock.
package final class AsyncSignal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastKey: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var count: UInt64 { state.withLock { $0.count } }

    package func send() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        // Resumes the waiters in the order of their arrival, so that tests in virtual time are deterministic.
        for (_, waiter) in woken.sorted(by: { $0.key < $1.key }) { waiter.resume() }
    }

    /// Waits until `count` exceeds `seen`, the span has passed or the task is cancelled.
    package func wait(after seen: UInt64, atMost span: RxTimeInterval, on scheduler: any SchedulerType) async {
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        let alarm = SingleAssignmentDisposable()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count != seen || Task.isCancelled { return true }
                    state.waiting[key] = continuation
                    return false
                }
                if isOver { return continuation.resume() }
                if span != .never {
                    alarm.setDisposable(
                        scheduler.scheduleRelative((), dueTime: span) { [self] in
                            wake(key)
                            return Disposables.create()
                        })
                }
            }
        } onCancel: {
            wake(key)
        }
        alarm.dispose()
    }

    private func wake(_ key: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
}
