import RxSwift

/// One timer at most. Its holder's lock guards it; the timer itself is set and disposed of after the lock.
struct Alarm {
    private var timer: SingleAssignmentDisposable?

    /// A timer to be set now; nil where there is one already.
    mutating func arm() -> SingleAssignmentDisposable? {
        guard timer == nil else { return nil }
        timer = SingleAssignmentDisposable()
        return timer
    }

    /// The timer has come due. False where it had been given up.
    mutating func ring(_ rung: SingleAssignmentDisposable) -> Bool {
        guard timer === rung else { return false }
        timer = nil
        return true
    }

    /// The timer that is not wanted any more, to be disposed of.
    mutating func disarm() -> SingleAssignmentDisposable? {
        defer { timer = nil }
        return timer
    }
}
