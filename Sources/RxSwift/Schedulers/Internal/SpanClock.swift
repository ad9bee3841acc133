public import Dispatch

/// A scheduler of this library, with timers on the monotonic clock.
protocol MonotonicScheduler: SchedulerType {}

extension SerialDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentMainScheduler: MonotonicScheduler {}
extension PthreadScheduler: MonotonicScheduler {}
extension PthreadPoolScheduler: MonotonicScheduler {}
extension ActorScheduler: MonotonicScheduler {}

/// Measures spans of time: on the monotonic clock for a ``MonotonicScheduler``, otherwise by the scheduler's `now`.
@usableFromInline
package struct SpanClock {
    /// The scheduler that supplies the time; nil if the clock is monotonic.
    private let foreign: (any SchedulerType)?

    @usableFromInline
    package init(_ scheduler: any SchedulerType) {
        foreign = scheduler is any MonotonicScheduler ? nil : scheduler
    }

    /// Whether the clock is monotonic.
    @usableFromInline
    var isMonotonic: Bool { foreign == nil }

    /// Nanoseconds since a fixed moment, which depends on the clock.
    @usableFromInline
    package var now: Int {
        guard let foreign else { return Int(truncatingIfNeeded: TimerService.now) }
        // Rounded, because a `Date` is exact only to about 0.1 µs. Without rounding, a span that has just ended could
        // seem to continue.
        let microseconds = (foreign.now.timeIntervalSinceReferenceDate * 1e6).rounded()
        let (nanoseconds, overflow) = Int(exactly: microseconds)?.multipliedReportingOverflow(by: 1_000) ?? (0, true)
        return overflow ? (microseconds > 0 ? .max : .min) : nanoseconds
    }

    /// The time to use if the timer for `moment` fires while the clock shows `now`.
    ///
    /// A foreign scheduler's clock may be coarse. If the result were before `moment`, a timer for the remaining time
    /// could fire at once, again and again.
    package func time(_ now: Int, atAlarmFor moment: Int) -> Int {
        isMonotonic ? now : max(now, moment)
    }
}

extension Int {
    /// The sum of this time and `span`, at most `Int.max`. It is `Int.max` if `span` is `Int.max`.
    @usableFromInline
    package func advanced(bySaturating span: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow || span == .max ? .max : sum
    }

    @usableFromInline
    package func span(since earlier: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (self > earlier ? .max : .min) : difference
    }
}

extension RxTimeInterval {
    /// The nanoseconds, at least zero; `Int.max` for `never`.
    @usableFromInline
    package var nanosecondsInInt: Int { Int(clamping: nanosecondsFromZero) }

    /// An interval of `nanoseconds`; `never` for `Int.max`.
    @usableFromInline
    package static func span(_ nanoseconds: Int) -> RxTimeInterval {
        nanoseconds == .max ? .never : .nanoseconds(nanoseconds)
    }
}
