import RxSwift
import Synchronization

/// Items that wait for workers. At most one worker at a time handles an item of a lane, so each lane keeps its order.
///
/// Guards: `state` and the contents of lanes are protected by `state`'s lock. Waiters are resumed and timers are
/// started outside of it.
final class Lanes<Item: Sendable>: Sendable {
    final class Lane: @unchecked Sendable {  // because of the guard
        fileprivate var waiting: [Item] = []
        /// Whether an item of the lane is ready, is being handled, or waits for the end of its pause.
        fileprivate var isBusy = false
    }

    typealias Work = (lane: Lane?, item: Item)

    private struct State {
        var ready: [Work] = []
        /// The number of items that workers handle, or that wait for the end of their pause.
        var busy = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let signal = AsyncSignal()
    private let scheduler: any SchedulerType & Sendable
    private let pauses = CompositeDisposable()

    init(_ scheduler: any SchedulerType & Sendable) {
        self.scheduler = scheduler
    }

    /// Adds an item, which is ready at once if `lane` is nil.
    func add(_ item: Item, to lane: Lane?) {
        let isReady = state.withLock { state in
            if let lane, lane.isBusy {
                lane.waiting.append(item)
                return false
            }
            lane?.isBusy = true
            state.ready.append((lane, item))
            return true
        }
        if isReady { signal.send() }
    }

    func isIdle(_ lane: Lane) -> Bool {
        state.withLock { _ in !lane.isBusy }
    }

    /// Returns the next ready item; nil once the lanes are closed.
    func take() async throws -> Work? {
        while true {
            try Task.checkCancellation()
            let seen = signal.count
            let (work, isClosed) = state.withLock { state -> (Work?, Bool) in
                guard !state.ready.isEmpty else { return (nil, state.isClosed) }
                state.busy += 1
                return (state.ready.removeFirst(), false)
            }
            if work != nil || isClosed { return work }
            await signal.wait(after: seen, atMost: .never, on: scheduler)
        }
    }

    func finish(_ lane: Lane?) {
        state.withLock { state in
            state.busy -= 1
            guard let lane else { return }
            if lane.waiting.isEmpty {
                lane.isBusy = false
            } else {
                state.ready.append((lane, lane.waiting.removeFirst()))
            }
        }
        signal.send()
    }

    /// Puts a worker's unfinished item back. Until the end of the pause, later items of its lane wait.
    func putBack(_ work: Work, after pause: RxTimeInterval) {
        let timer = SingleAssignmentDisposable()
        let key = pauses.insert(timer)
        let turn = Turn { [self] in
            if let key { pauses.remove(for: key) }
            state.withLock { state in
                state.busy -= 1
                state.ready.append(work)
            }
            signal.send()
        }
        timer.setDisposable(
            scheduler.scheduleRelative(turn, dueTime: pause) { turn in
                turn.come()
                return Disposables.create()
            })
    }

    /// Called when no worker takes items any more.
    func end() {
        pauses.dispose()
    }

    /// Waits until no item is ready, being handled or in a pause. Then closes the lanes, so that the workers end.
    func close() async throws {
        while true {
            try Task.checkCancellation()
            let seen = signal.count
            let isIdle = state.withLock { state in
                if state.busy == 0, state.ready.isEmpty { state.isClosed = true }
                return state.isClosed
            }
            if isIdle { return signal.send() }
            await signal.wait(after: seen, atMost: .never, on: scheduler)
        }
    }
}

/// Ends a pause exactly once: when its timer fires, or when a scheduler drops the timer.
private final class Turn: Sendable {
    private let action: @Sendable () -> Void
    private let hasCome = Atomic(false)

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        come()
    }

    func come() {
        if !hasCome.exchange(true, ordering: .acquiringAndReleasing) { action() }
    }
}

/// The lanes by key. Comparing and releasing keys runs user code, so only the pulling task does this, without a lock.
final class LaneTable<Key: Hashable, Item: Sendable>: @unchecked Sendable {  // used by one task
    private let lanes: Lanes<Item>
    private var table: [Key: Lanes<Item>.Lane] = [:]
    /// The number of lanes at which idle lanes are removed.
    private var sweepAt = 64

    init(_ lanes: Lanes<Item>) {
        self.lanes = lanes
    }

    func add(_ item: Item, to key: Key) {
        if table.count >= sweepAt {
            table = table.filter { !lanes.isIdle($0.value) }
            sweepAt = max(64, table.count * 2)
        }
        let lane = table[key] ?? Lanes.Lane()
        table[key] = lane
        lanes.add(item, to: lane)
    }
}
