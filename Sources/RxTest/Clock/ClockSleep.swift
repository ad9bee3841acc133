/// One sleep: it ends once, by the scheduler's time or by cancellation, whichever comes first.
final class ClockSleep: Sendable {
    private enum State {
        case notBegun
        case asleep(CheckedContinuation<Void, any Error>)
        case ended
    }

    /// Any thread; who moves it to `ended` resumes the continuation, after the lock.
    private let state = Locked(State.notBegun)
    private let alarm = SingleAssignmentDisposable()

    /// Puts the continuation to sleep. It is called once, and `cancel()` may have come before it.
    func begin(_ continuation: CheckedContinuation<Void, any Error>, until time: TestTime, on scheduler: TestScheduler)
    {
        let isCancelled = state.withLock { state in
            guard case .notBegun = state else { return true }
            state = .asleep(continuation)
            return false
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        guard time < .max else { return }
        // A cancellation that comes before this line disposes of the alarm, which then takes nothing any more.
        alarm.setDisposable(
            scheduler.scheduleAbsoluteVirtual((), time: time) { [self] in
                end()?.resume()
                return Disposables.create()
            })
    }

    /// Ends the sleep, or one that has not begun yet, with a `CancellationError`.
    func cancel() {
        end()?.resume(throwing: CancellationError())
        alarm.dispose()
    }

    private func end() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state = .ended }
            guard case .asleep(let continuation) = state else { return nil }
            return continuation
        }
    }
}
