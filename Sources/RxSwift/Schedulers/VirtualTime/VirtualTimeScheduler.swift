internal import CRxCore
import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A scheduler whose clock the caller advances, for tests and for replaying the past.
///
/// `start()` and `advanceTo(_:)` run the due jobs on the caller's thread. Before each job, the clock advances to the
/// job's time.
///
/// - Threads: any thread may schedule, dispose and read the clock. Only the thread that made the scheduler may call
///   `start()`.
/// - Order: one job at a time, ordered by time. Jobs of the same time run first in, first out.
/// - Disposal: a job that is disposed of before its turn never runs, does not move the clock, and is released at once.
///   A disposal on another thread does not stop a job that has begun.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType {
    /// A point in virtual time.
    public typealias VirtualTime = Converter.VirtualTimeUnit

    /// A span of virtual time.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private typealias Item = VirtualTimeItem<VirtualTime>

    /// The state protected by the lock of `shared`. The converter is user code, so it is never called under this lock.
    private struct Shared {
        var clock: VirtualTime
        /// Items to be inserted into `queue` without the lock, because an insertion calls the converter.
        var arrived: [Item] = []
        var sweepAt = VirtualTimeSweep.first
        var sequence: UInt64 = 0
        var seeds: UInt64 = 0
        /// The thread of the outermost run; 0 if there is none.
        var runner: UInt = 0
        var isStopped = false
    }

    private let shared: Locked<Shared>
    /// Used only by the thread `runner`. Without a runner, any thread may read it under the lock of `shared`.
    private var queue: VirtualTimeQueue<VirtualTime>
    private let converter: Converter
    private let thread = crx_thread_self()
    private let isCounted = Resources.checkIn()

    /// Creates a scheduler that belongs to the calling thread. Its clock shows `initialClock`; `converter` defines its
    /// units.
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

    final func takeSeed() -> UInt64 {
        shared.withLock { shared in
            shared.seeds += 1
            return shared.seeds
        }
    }

    /// The current virtual time, as a date.
    public var now: RxTime {
        converter.convertFromVirtualTime(clock)
    }

    /// The current virtual time.
    public var clock: VirtualTime {
        shared.withLock { $0.clock }
    }

    /// Schedules `action` for the present time, with the argument `state`. `adjustScheduledTime(_:)` may change the
    /// time.
    public func schedule<StateType>(
        _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    /// Schedules `action` after `dueTime`, with the argument `state`. `adjustScheduledTime(_:)` may change the time.
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.convertToVirtualTime(now.advanced(by: dueTime))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Schedules `action` after `dueTime`, with the argument `state`. Does not call `adjustScheduledTime(_:)`.
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Schedules `action` at `time`, with the argument `state`. Does not call `adjustScheduledTime(_:)`. If `time` has
    /// passed, the action is due at once, and the clock is not set back.
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
        // The swept items contain times of a user's type, so they are released after unlocking.
        _ = swept
        return item
    }

    /// Returns the time for an action that is scheduled at `time`: by default, `time` itself. Subclasses may return
    /// another time.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        time
    }

    /// Runs all scheduled actions, including those scheduled during the run, until none is left or `stop()` is called.
    /// Has no effect during a run. Traps on a thread that did not make the scheduler.
    public func start() {
        guard !isRunning else { return }
        guard crx_thread_self() == thread else {
            rxFatalError(
                "Executing on the wrong thread. Please ensure all work on the same thread. (A test that awaits may "
                    + "continue on another thread than the one that made its \(type(of: self)): mark it @MainActor.)")
        }
        guard let run = beginRun() else { return }
        runDue(until: nil)
        endRun(run)
    }

    /// Runs the actions that are due up to and including `virtualTime`, then sets the clock to `virtualTime`, even if
    /// that sets the clock back. Traps during a run.
    public func advanceTo(_ virtualTime: VirtualTime) {
        guard let run = beginRun() else { rxFatalError("Scheduler is already running") }
        runDue(until: virtualTime)
        setClock(virtualTime)
        endRun(run)
    }

    /// Sets the clock forward by `virtualInterval` without running anything. Skipped actions are due afterwards. Traps
    /// if the span is negative.
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

    /// Ends the run after the current action; the other actions wait for the next run.
    public func stop() {
        shared.withLock { $0.isStopped = true }
    }
}

extension VirtualTimeScheduler {
    /// An action may call `stop()`, then begin another run, nested in the stopped run.
    private enum Run {
        case outermost
        case nested
    }

    private var isRunning: Bool {
        shared.withLock { $0.runner != 0 && !$0.isStopped }
    }

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
            // The outer run stays stopped.
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
    /// The times of the scheduled items, in the order of the heap.
    public var debugDescription: String {
        // Without a runner, the queue cannot change while the lock is held. Insertions call the converter, so they are
        // made after unlocking.
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
