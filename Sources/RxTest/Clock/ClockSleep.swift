final class ClockSleep: Sendable {
    private enum State {
        case notBegun
        case asleep(CheckedContinuation<Void, any Error>)
        case ended
    }

    /// The thread that sets `ended` resumes the continuation after unlocking.
    private let state = Locked(State.notBegun)
    private let alarm = SingleAssignmentDisposable()

    /// Called once, possibly after `cancel()`.
    func begin(_ continuation: CheckedContinuation<Void, any Error>, until time: TestTime, on scheduler: TestScheduler)
    {
        let isCancelled = state.withLock { state in
            guard case .notBegun = state else { return true }
            state = .asleep(continuation)
            return false
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        guard time < .max else { return }
        // After `cancel()`, `alarm` disposes of this timer at once.
        alarm.setDisposable(
            scheduler.scheduleAbsoluteVirtual((), time: time) { [self] in
                end()?.resume()
                return Disposables.create()
            })
    }

    /// Ends the sleep, even before it has begun, with a `CancellationError`.
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
