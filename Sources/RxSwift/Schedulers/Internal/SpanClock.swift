public import Dispatch

/// A scheduler of this library. Its timers run on the monotonic clock.
protocol MonotonicScheduler: SchedulerType {}

extension SerialDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentMainScheduler: MonotonicScheduler {}
extension PthreadScheduler: MonotonicScheduler {}
extension PthreadPoolScheduler: MonotonicScheduler {}
extension ActorScheduler: MonotonicScheduler {}

/// Measures spans of time: on the monotonic clock for a scheduler of this library, otherwise with the scheduler's
/// `now`.
@usableFromInline
package struct SpanClock {
    /// The scheduler whose `now` is read; nil if the clock is monotonic.
    private let foreign: (any SchedulerType)?

    @usableFromInline
    package init(_ scheduler: any SchedulerType) {
        foreign = scheduler is any MonotonicScheduler ? nil : scheduler
    }

    /// Whether the clock is monotonic, so that the time of a timer can be computed in advance.
    @usableFromInline
    var isMonotonic: Bool { foreign == nil }

    /// The nanoseconds since a fixed moment, which depends on the clock.
    @usableFromInline
    package var now: Int {
        guard let foreign else { return Int(truncatingIfNeeded: TimerService.now) }
        // Rounded to microseconds, because a `Date` is exact only to about 0.1 µs. Without rounding, a span that has
        // just ended could seem to continue.
        let microseconds = (foreign.now.timeIntervalSinceReferenceDate * 1e6).rounded()
        let (nanoseconds, overflow) = Int(exactly: microseconds)?.multipliedReportingOverflow(by: 1_000) ?? (0, true)
        return overflow ? (microseconds > 0 ? .max : .min) : nanoseconds
    }

    /// Returns the time to use if the clock shows `now` when the timer for `moment` fires.
    ///
    /// If the clock is not monotonic, the scheduler decides when a timer is due. So the result is at least `moment`,
    /// even if the scheduler's clock is too coarse to show that `moment` has come. With an earlier result, a timer for
    /// the remaining time could fire at once, again and again.
    package func time(_ now: Int, atAlarmFor moment: Int) -> Int {
        isMonotonic ? now : max(now, moment)
    }
}

extension Int {
    /// Returns the moment that is `span` later, at most `Int.max`. If `span` is `Int.max`, the result is `Int.max`.
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
    /// The span in nanoseconds, at least zero; `never` is `Int.max`.
    @usableFromInline
    package var nanosecondsInInt: Int { Int(clamping: nanosecondsFromZero) }

    /// A span of nanoseconds; `Int.max` is `never`.
    @usableFromInline
    package static func span(_ nanoseconds: Int) -> RxTimeInterval {
        nanoseconds == .max ? .never : .nanoseconds(nanoseconds)
    }
}
