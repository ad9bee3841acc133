import RxSwift
import Synchronization

/// Wakes tasks that wait for something to change.
///
/// Who waits asks for `rings` first, then looks whether what he wants is there, and then waits for a ring after those:
/// so none is missed.
///
/// Guards: `state` is under its lock; who takes a waiter out of it resumes it, once, outside.
package final class Bell: Sendable {
    private struct State {
        var rings: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastKey: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// How often it has rung.
    package var rings: UInt64 { state.withLock { $0.rings } }

    /// Wakes all who wait.
    package func ring() {
        let woken = state.withLock { state in
            state.rings += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        // In the order in which they came, so that a test on virtual time always runs alike.
        for (_, waiter) in woken.sorted(by: { $0.key < $1.key }) { waiter.resume() }
    }

    /// Waits until it has rung after `seen`, or the span has passed, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - seen: how often it had rung before the caller looked.
    ///   - span: how long at most; `.never` for no limit.
    ///   - scheduler: what measures the span.
    package func wait(after seen: UInt64, atMost span: RxTimeInterval, on scheduler: any SchedulerType) async {
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        let alarm = SingleAssignmentDisposable()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.rings != seen || Task.isCancelled { return true }
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
