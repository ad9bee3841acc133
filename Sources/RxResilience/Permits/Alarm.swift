import RxSwift

/// One timer at most, and the moment it is set for. Its holder's lock guards it; the timer itself is set and disposed
/// of after the lock.
struct Alarm {
    private var timer: SingleAssignmentDisposable?
    private var moment = 0

    /// A timer to be set now; nil where there is one already.
    mutating func arm(for moment: Int) -> SingleAssignmentDisposable? {
        guard timer == nil else { return nil }
        self.moment = moment
        timer = SingleAssignmentDisposable()
        return timer
    }

    /// Sets it for that moment, whatever it was set for.
    ///
    /// - Returns: the timer that is not wanted any more, to be disposed of, and the one to be set now; neither where it
    ///   was set for that moment already.
    mutating func move(to moment: Int) -> (old: SingleAssignmentDisposable?, new: SingleAssignmentDisposable?) {
        if timer != nil, moment == self.moment { return (nil, nil) }
        let old = disarm()
        return (old, arm(for: moment))
    }

    /// The timer has come due.
    ///
    /// - Returns: the moment it was set for; nil where it had been given up.
    mutating func ring(_ rung: SingleAssignmentDisposable) -> Int? {
        guard timer === rung else { return nil }
        timer = nil
        return moment
    }

    /// The timer that is not wanted any more, to be disposed of.
    mutating func disarm() -> SingleAssignmentDisposable? {
        defer { timer = nil }
        return timer
    }
}
