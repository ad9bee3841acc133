import RxSwift

/// A timer and its due time. Protected by the lock of the object that contains the alarm. The caller sets and disposes
/// of the returned timers outside that lock.
struct Alarm {
    private var timer: SingleAssignmentDisposable?
    private var moment = 0

    /// Returns the timer to set; nil if one is set already, or if `moment` is `Int.max`, which means never.
    mutating func arm(for moment: Int) -> SingleAssignmentDisposable? {
        guard timer == nil, moment < .max else { return nil }
        self.moment = moment
        timer = SingleAssignmentDisposable()
        return timer
    }

    /// Replaces any earlier setting. The caller disposes of `old` and sets `new`. If `moment` is `Int.max`, `new` is
    /// nil. If the alarm is already set for `moment`, both are nil.
    mutating func move(to moment: Int) -> (old: SingleAssignmentDisposable?, new: SingleAssignmentDisposable?) {
        if timer != nil, moment == self.moment { return (nil, nil) }
        let old = disarm()
        return (old, arm(for: moment))
    }

    /// Returns the moment of a fired timer; nil if the timer was replaced or disarmed before.
    mutating func ring(_ rung: SingleAssignmentDisposable) -> Int? {
        guard timer === rung else { return nil }
        timer = nil
        return moment
    }

    mutating func disarm() -> SingleAssignmentDisposable? {
        defer { timer = nil }
        return timer
    }
}
