import Dispatch
import NIOCore
import RxSwift

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs actions on an event loop, one at a time, in the order of scheduling.
///
/// ```swift
/// prices.observe(on: EventLoopScheduler(channel.eventLoop))
///     .subscribe(onNext: { price in ... })       // on the loop, where the channel may be used without a hop
/// ```
///
/// - Order: first in, first out, with all other tasks of the loop. No action runs inside the call that schedules it,
///   even on the loop.
/// - Time: the loop's clock, which is virtual with `EmbeddedEventLoop` and `NIOAsyncTestingEventLoop`.
/// - Disposal: an action that is disposed of on the loop does not run afterwards. A disposal on another thread does not
///   stop an action that has started. Waiting actions are released at once, and timers are removed from the loop.
/// - Shutdown: once the loop has been shut down, waiting and new actions are released and disposed of without running.
///   SwiftNIO warns about new ones.
/// - Threads: any thread may schedule and dispose, if the loop permits it. `EmbeddedEventLoop` permits only one thread.
///   An action that blocks delays every channel of the loop.
///
/// The scheduler retains the loop.
public final class EventLoopScheduler: SchedulerType {
    /// The loop that runs the actions.
    public let loop: any EventLoop

    /// The time of the initialisation, on the loop's clock and on the wall clock.
    private let start: (deadline: NIODeadline, date: Date)

    /// Creates a scheduler that runs actions on `loop`.
    public init(_ loop: any EventLoop) {
        self.loop = loop
        start = (loop.now, Date())
    }

    /// The wall clock time at which the scheduler was made, advanced by the loop's clock.
    public var now: Date {
        start.date + Double((loop.now - start.deadline).nanoseconds) / 1e9
    }

    /// Schedules an `action`, which receives `state`, to run after all earlier tasks that have no delay.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = LoopAction { action(state) }
        loop.take(job)
        return job
    }

    /// Schedules an `action`, which receives `state`, after `dueTime` in the loop's time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = LoopAction { action(state) }
        job.start(on: loop, at: loop.now + TimeAmount(dueTime))
        return job
    }

    /// Calls `action` periodically, on the event loop's clock. If one or more periods pass during a call, one call
    /// follows for all of them.
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
    /// Negative spans become zero, and `never` becomes the longest span.
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

    /// Returns the product, clamped between zero and the longest span.
    static func nanoseconds(saturating unit: Int64, times count: Int64) -> TimeAmount {
        if count <= 0 { return .zero }
        let (product, overflow) = unit.multipliedReportingOverflow(by: count)
        return .nanoseconds(overflow ? .max : product)
    }
}
