internal import CRxCore
import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A scheduler whose clock goes only as far as it is told to: time for tests, and for replaying the past.
///
/// It runs nothing by itself. `start()` and `advanceTo(_:)` run what is due on the caller's thread; before each action
/// the clock is set to its time.
///
/// - Threads: any thread may schedule, dispose and look at the clock; `start()` belongs to the thread that made the
///   scheduler.
/// - Order: one action after the other in the order of their times, those of the same time first in, first out. What an
///   action schedules runs after that action.
/// - Disposal: what is disposed of before its turn never runs, moves no clock, and is freed at once; from another
///   thread, at most a run that has begun ends.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType {
    /// A point in virtual time.
    public typealias VirtualTime = Converter.VirtualTimeUnit

    /// A span of virtual time.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private typealias Item = VirtualTimeItem<VirtualTime>

    /// What any thread may touch, under the lock of `shared`. The converter is a user's code and is never called under
    /// it.
    private struct Shared {
        var clock: VirtualTime
        /// Scheduled, not yet in `queue`: ordering calls the converter, so it is left to the run.
        var arrived: [Item] = []
        var sweepAt = VirtualTimeSweep.first
        var sequence: UInt64 = 0
        /// The number of random number generators that were made.
        var seeds: UInt64 = 0
        /// The thread that runs actions, 0 for none. It stays until its outermost run has ended.
        var runner: UInt = 0
        var isStopped = false
    }

    private let shared: Locked<Shared>
    /// Touched by the thread that is `runner` alone; while there is none, read under the lock of `shared`.
    private var queue: VirtualTimeQueue<VirtualTime>
    private let converter: Converter
    private let thread = crx_thread_self()
    private let isCounted = Resources.checkIn()

    /// Creates a scheduler that belongs to the calling thread.
    ///
    /// - Parameters:
    ///   - initialClock: what its clock shows at first.
    ///   - converter: how its time counts.
    public init(initialClock: VirtualTime, converter: Converter) {
        shared = Locked(Shared(clock: initialClock))
        self.converter = converter
        queue = VirtualTimeQueue { first, second in
            switch converter.compareVirtualTime(first.time, second.time) {
            case .lessThan: true
            case .equal: first.sequence < second.sequence
            case .greaterThan: false
            }
        }
    }

    deinit {
        Resources.checkOut(isCounted)
    }

    /// Returns the seed of the next random number generator.
    final func takeSeed() -> UInt64 {
        shared.withLock { shared in
            shared.seeds += 1
            return shared.seeds
        }
    }

    /// What the clock shows, as a date.
    public var now: RxTime {
        converter.convertFromVirtualTime(clock)
    }

    /// What the clock shows.
    public var clock: VirtualTime {
        shared.withLock { $0.clock }
    }

    /// Schedules an action for now, as `adjustScheduledTime(_:)` understands it.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    public func schedule<StateType>(
        _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    /// Schedules an action after a span of time, at the point that `adjustScheduledTime(_:)` makes of it.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - dueTime: the span; the converter says what it is in virtual time.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.convertToVirtualTime(now.advanced(by: dueTime))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Schedules an action after a span of virtual time, as it is: without `adjustScheduledTime(_:)`.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - dueTime: the span.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Schedules an action at a point in virtual time, as it is: without `adjustScheduledTime(_:)`.
    ///
    /// A point that has passed is due at once; the clock does not go back for it.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - time: the point.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let (item, swept) = shared.withLock { shared in
            shared.sequence += 1
            let item = Item(time: time, sequence: shared.sequence) { action(state) }
            var swept: [Item] = []
            if shared.arrived.count >= shared.sweepAt {
                swept = shared.arrived
                shared.arrived = swept.filter { !$0.isDisposed }
                shared.sweepAt = VirtualTimeSweep.next(living: shared.arrived.count)
            }
            shared.arrived.append(item)
            return (item, swept)
        }
        // What was swept carries user-defined times: it is released here, after the lock.
        _ = swept
        return item
    }

    /// The point at which an action runs that is scheduled for a point in real time; subclasses may move it.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        time
    }

    /// Runs all that is scheduled, and what is scheduled meanwhile, until nothing is left or `stop()` is called.
    ///
    /// Called while the scheduler runs, it does nothing. It traps on another thread than the one that made the
    /// scheduler.
    public func start() {
        guard !isRunning else { return }
        guard crx_thread_self() == thread else {
            rxFatalError(
                "Executing on the wrong thread. Please ensure all work on the same thread. (A test that awaits may go on "
                    + "on another thread than the one that made its \(type(of: self)): mark it @MainActor.)")
        }
        guard let run = beginRun() else { return }
        runDue(until: nil)
        endRun(run)
    }

    /// Runs what is due up to a point in virtual time, that point included, and sets the clock to it.
    ///
    /// A point before the clock sets the clock back. It traps while the scheduler runs.
    ///
    /// - Parameter virtualTime: the point.
    public func advanceTo(_ virtualTime: VirtualTime) {
        guard let run = beginRun() else { rxFatalError("Scheduler is already running") }
        runDue(until: virtualTime)
        setClock(virtualTime)
        endRun(run)
    }

    /// Sets the clock forward and runs nothing; what was due meanwhile is due now. It traps on a span that would set
    /// the clock back.
    ///
    /// - Parameter virtualInterval: by how much.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let now = clock
        let time = converter.offsetVirtualTime(now, offset: virtualInterval)
        if converter.compareVirtualTime(time, now) == .lessThan {
            rxFatalError(
                "Can't sleep to past.", operator: "VirtualTimeScheduler.sleep", argument: "virtualInterval",
                value: virtualInterval)
        }
        setClock(time)
    }

    /// Ends the run under way after the present action; what is left waits for the next run.
    public func stop() {
        shared.withLock { $0.isStopped = true }
    }
}

extension VirtualTimeScheduler {
    /// A run; one that an action begins after `stop()` is nested in the run that it stopped.
    private enum Run {
        case outermost
        case nested
    }

    private var isRunning: Bool {
        shared.withLock { $0.runner != 0 && !$0.isStopped }
    }

    /// Begins a run; `nil` while another one is under way.
    private func beginRun() -> Run? {
        let me = crx_thread_self()
        return shared.withLock { shared in
            guard shared.runner == 0 || shared.runner == me && shared.isStopped else { return nil }
            defer { (shared.runner, shared.isStopped) = (me, false) }
            return shared.runner == 0 ? .outermost : .nested
        }
    }

    private func endRun(_ run: Run) {
        shared.withLock { shared in
            switch run {
            case .outermost: shared.runner = 0
            // The run around it was stopped, and ends as well.
            case .nested: shared.isStopped = true
            }
        }
    }

    private func runDue(until end: VirtualTime?) {
        while !shared.withLock({ $0.isStopped }), let item = nextItem(until: end) {
            if converter.compareVirtualTime(item.time, clock) == .greaterThan { setClock(item.time) }
            item.run()
        }
    }

    private func nextItem(until end: VirtualTime?) -> Item? {
        takeIn()
        guard let item = queue.first() else { return nil }
        if let end, converter.compareVirtualTime(item.time, end) == .greaterThan { return nil }
        queue.removeFirst()
        return item
    }

    /// Moves what has been scheduled since the last time into the queue.
    private func takeIn() {
        let arrived = shared.withLock { shared in
            let arrived = shared.arrived
            shared.arrived = []
            return arrived
        }
        for item in arrived where !item.isDisposed { queue.insert(item) }
    }

    private func setClock(_ time: VirtualTime) {
        var time = time
        shared.withLock { swap(&$0.clock, &time) }
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The times of what is scheduled and not disposed, as the queue holds them.
    public var debugDescription: String {
        // Without a runner the queue stays as it is while the lock is held. The copy calls the converter after that.
        let seen = shared.withLock { shared in
            shared.runner == 0 || shared.runner == crx_thread_self() ? (queue, shared.arrived) : nil
        }
        guard case (var queue, let arrived)? = seen else { return "running on another thread" }
        for item in arrived where !item.isDisposed { queue.insert(item) }
        return "\(queue.items.filter { !$0.isDisposed }.map(\.time))"
    }
}

extension RxTime {
    fileprivate func advanced(by span: RxTimeInterval) -> RxTime {
        switch span {
        case .seconds(let count): addingTimeInterval(TimeInterval(count))
        case .milliseconds(let count): addingTimeInterval(TimeInterval(count) / 1e3)
        case .microseconds(let count): addingTimeInterval(TimeInterval(count) / 1e6)
        case .nanoseconds(let count): addingTimeInterval(TimeInterval(count) / 1e9)
        case .never: .distantFuture
        @unknown default: .distantFuture
        }
    }
}
