import RxSwift

/// The state and the counts of a ``CircuitBreaker``. It has no lock and makes no call-out. Times are nanoseconds since
/// the breaker was created; spans are nanoseconds.
struct BreakerMachine {
    enum Answer: Equatable {
        case admitted
        /// `retryAfter` is the time until a call may be admitted; nil if it is unknown.
        case refused(retryAfter: Int?)
    }

    private(set) var rules: CircuitBreaker.Limits
    private(set) var slowAfter: Int
    private var openFor: Int
    private(set) var state = CircuitBreaker.State.closed
    /// Incremented by `enter`. The result of a call counts only if `era` has not changed since the call was admitted.
    private(set) var era = 0
    private var window: CallWindow
    private var openedAt = 0
    /// Used while half open. `tried` contains the results that count. `trials` is their number plus the number of
    /// running trials.
    private var trials = 0
    private var tried = CallTally()

    init(_ rules: CircuitBreaker.Limits) {
        self.rules = rules
        slowAfter = rules.slowAfter.nanosecondsInInt
        openFor = rules.openFor.nanosecondsInInt
        window = Self.window(rules.window)
    }

    /// Changes the limits. If the breaker is half open and needs no further trial, closes or opens it.
    mutating func change(to rules: CircuitBreaker.Limits, at now: Int) {
        if rules.window != self.rules.window { window = Self.window(rules.window) }
        self.rules = rules
        slowAfter = rules.slowAfter.nanosecondsInInt
        openFor = rules.openFor.nanosecondsInInt
        if state == .halfOpen { decide(at: now) }
    }

    func tally(at now: Int) -> CallTally { window.total(at: now) }

    mutating func admit(at now: Int) -> Answer {
        switch state {
        case .closed, .disabled:
            return .admitted
        case .forcedOpen:
            return .refused(retryAfter: nil)
        case .open:
            let left = openFor == .max ? .max : openFor.span(since: now.span(since: openedAt))
            guard left <= 0 else { return .refused(retryAfter: left) }
            enter(.halfOpen, at: now)
        case .halfOpen:
            guard trials < rules.trials else { return .refused(retryAfter: nil) }
        }
        trials += 1
        return .admitted
    }

    /// Records the end of an admitted call. `failed` is nil if the call neither succeeded nor failed.
    mutating func end(of era: Int, failed: Bool?, slow: Bool, at now: Int) {
        guard era == self.era else { return }
        switch (state, failed) {
        case (.closed, let failed?):
            window.add(failed: failed, slow: slow, at: now)
            if window.total.calls >= minimumCalls, isTooMuch(window.total) { enter(.open, at: now) }
        case (.halfOpen, nil):
            trials -= 1
        case (.halfOpen, let failed?):
            tried += CallTally(calls: 1, failed: failed ? 1 : 0, slow: slow ? 1 : 0)
            decide(at: now)
        default: break
        }
    }

    private mutating func decide(at now: Int) {
        if tried.calls >= rules.trials { enter(isTooMuch(tried) ? .open : .closed, at: now) }
    }

    mutating func enter(_ state: CircuitBreaker.State, at now: Int) {
        self.state = state
        era += 1
        window = Self.window(rules.window)
        openedAt = now
        trials = 0
        tried = CallTally()
    }

    private var minimumCalls: Int {
        let calls = rules.minimumCalls ?? 100
        return if case .calls(let size) = rules.window { min(calls, size) } else { calls }
    }

    private func isTooMuch(_ tally: CallTally) -> Bool {
        let calls = Double(tally.calls)
        return Double(tally.failed) / calls >= rules.failureRate || Double(tally.slow) / calls >= rules.slowRate
    }

    private static func window(_ window: CircuitBreaker.Window) -> CallWindow {
        switch window {
        case .calls(let size): CallWindow(calls: size)
        case .span(let span): CallWindow(span: span.nanosecondsInInt)
        }
    }
}
