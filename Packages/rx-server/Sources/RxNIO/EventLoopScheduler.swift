import Dispatch
import NIOCore
import RxSwift

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs work on an event loop, one piece after the other, in the order in which it was scheduled.
///
/// ```swift
/// prices.observe(on: EventLoopScheduler(channel.eventLoop))
///     .subscribe(onNext: { price in ... })       // on the loop, where the channel may be used without a hop
/// ```
///
/// - Order: first in, first out, among all that the loop executes. Nothing runs at once, on the loop neither.
/// - Time is the loop's: spans are measured by its `now`, and timers are its own, without a task. So
///   `EmbeddedEventLoop` and `NIOAsyncTestingEventLoop` are virtual time, for `delay`, `throttle` and the others, too.
/// - Disposal: what is disposed of on the loop never runs afterwards; disposed of elsewhere, at most a run that has
///   begun ends. What waits is freed at once, and a timer is taken out of the loop.
/// - A loop that has been shut down: what waited is let go of, unrun, and so is what is scheduled from then on. It is
///   freed and disposed of, and nothing waits for it. (SwiftNIO complains of the latter on standard error.)
///
/// Any thread may schedule and dispose, as far as the loop allows it: `EmbeddedEventLoop` knows one thread. Work that
/// blocks holds up every channel of the loop. The scheduler keeps the loop.
public final class EventLoopScheduler: SchedulerType {
    /// Where work runs.
    public let loop: any EventLoop

    /// One moment, by both clocks.
    private let start: (deadline: NIODeadline, date: Date)

    /// Makes a scheduler of an event loop.
    ///
    /// - Parameter loop: where work runs.
    public init(_ loop: any EventLoop) {
        self.loop = loop
        start = (loop.now, Date())
    }

    /// The wall clock as it was when the scheduler was made, moved on by the loop's clock since.
    public var now: Date {
        start.date + Double((loop.now - start.deadline).nanoseconds) / 1e9
    }

    /// Schedules an action behind everything that was scheduled before.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = LoopAction { action(state) }
        loop.take(job)
        return job
    }

    /// Schedules an action after a span of the loop's time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = LoopAction { action(state) }
        job.start(on: loop, at: loop.now + TimeAmount(dueTime))
        return job
    }

    /// Schedules an action again and again, in the loop's time. Ticks that come due while the action runs become one.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let job = LoopPeriod(
            on: loop, state, first: loop.now + TimeAmount(startAfter), period: TimeAmount(period), action)
        job.start()
        return job
    }
}

extension TimeAmount {
    /// A span from zero up; `never` is the longest one.
    init(_ span: RxTimeInterval) {
        switch span {
        case .seconds(let count): self = .nanoseconds(saturating: 1_000_000_000, times: Int64(count))
        case .milliseconds(let count): self = .nanoseconds(saturating: 1_000_000, times: Int64(count))
        case .microseconds(let count): self = .nanoseconds(saturating: 1_000, times: Int64(count))
        case .nanoseconds(let count): self = .nanoseconds(saturating: 1, times: Int64(count))
        case .never: self = .nanoseconds(.max)
        @unknown default: self = .nanoseconds(.max)
        }
    }

    /// So many times a number of nanoseconds, from zero to the longest span there is.
    static func nanoseconds(saturating unit: Int64, times count: Int64) -> TimeAmount {
        if count <= 0 { return .zero }
        let (product, overflow) = unit.multipliedReportingOverflow(by: count)
        return .nanoseconds(overflow ? .max : product)
    }
}
