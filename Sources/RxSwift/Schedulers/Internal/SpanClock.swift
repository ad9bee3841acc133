public import Dispatch

/// A scheduler whose timers run on the monotonic clock: the library's own.
protocol MonotonicScheduler: SchedulerType {}

extension SerialDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentDispatchQueueScheduler: MonotonicScheduler {}
extension ConcurrentMainScheduler: MonotonicScheduler {}
extension PthreadScheduler: MonotonicScheduler {}
extension PthreadPoolScheduler: MonotonicScheduler {}
extension ActorScheduler: MonotonicScheduler {}

/// Measures spans of time as a scheduler does: on the monotonic clock where it is one of the library's own, by its
/// `now` otherwise.
@usableFromInline
package struct SpanClock {
    /// Nil where the clock is monotonic.
    private let foreign: (any SchedulerType)?

    @usableFromInline
    package init(_ scheduler: any SchedulerType) {
        foreign = scheduler is any MonotonicScheduler ? nil : scheduler
    }

    /// Whether a timer's moment can be told beforehand from the clock.
    @usableFromInline
    var isMonotonic: Bool { foreign == nil }

    /// Nanoseconds since a moment that is the clock's own.
    @usableFromInline
    package var now: Int {
        guard let foreign else { return Int(truncatingIfNeeded: TimerService.now) }
        // Whole microseconds: a `Date` is exact to a tenth of one, and a span that has just ended must not seem to last
        // a tenth longer.
        let microseconds = (foreign.now.timeIntervalSinceReferenceDate * 1e6).rounded()
        let (nanoseconds, overflow) = Int(exactly: microseconds)?.multipliedReportingOverflow(by: 1_000) ?? (0, true)
        return overflow ? (microseconds > 0 ? .max : .min) : nanoseconds
    }

    /// What a clock that shows `now` counts as when a timer rings that was set for a moment.
    ///
    /// A foreign scheduler orders what is due: that moment has come, also where its clock is too coarse to show the
    /// last of a span. A timer that is set for such a rest may ring at once, and would do so for ever.
    package func time(_ now: Int, atAlarmFor moment: Int) -> Int {
        isMonotonic ? now : max(now, moment)
    }
}

extension Int {
    /// A moment as far after this one as `span` says; the last moment there is where that is later, or never.
    @usableFromInline
    package func advanced(bySaturating span: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow || span == .max ? .max : sum
    }

    /// How long after `earlier` this moment is.
    @usableFromInline
    package func span(since earlier: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (self > earlier ? .max : .min) : difference
    }
}

extension RxTimeInterval {
    /// The span in nanoseconds, from zero up; `never` is the longest one.
    @usableFromInline
    package var nanosecondsInInt: Int { Int(clamping: nanosecondsFromZero) }

    /// A span of nanoseconds, the longest of which is `never`.
    @usableFromInline
    package static func span(_ nanoseconds: Int) -> RxTimeInterval {
        nanoseconds == .max ? .never : .nanoseconds(nanoseconds)
    }
}
