import RxSwift
import Synchronization

/// What waits for a worker: lanes of which each is with one worker at a time, so that what is in one keeps its order.
///
/// Guards: `state`, and what is in a lane, are under `state`'s lock; waiters are woken, and timers begun, outside.
final class Lanes<Item: Sendable>: Sendable {
    /// One lane.
    final class Lane: @unchecked Sendable {  // because of the guard
        fileprivate var waiting: [Item] = []
        /// A worker has an item of it, or may take one, or one pauses.
        fileprivate var isBusy = false
    }

    /// An item, and the lane that it keeps busy; nil for none.
    typealias Work = (lane: Lane?, item: Item)

    private struct State {
        /// What a worker may take.
        var ready: [Work] = []
        /// How many items workers have, and how many pause.
        var busy = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell = Bell()
    private let scheduler: any SchedulerType & Sendable
    /// The timers of what pauses.
    private let pauses = CompositeDisposable()

    init(_ scheduler: any SchedulerType & Sendable) {
        self.scheduler = scheduler
    }

    /// Puts an item into a lane; without one, no other waits for it.
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
        if isReady { bell.ring() }
    }

    /// Whether nothing is in a lane, and no worker has anything of it.
    func isIdle(_ lane: Lane) -> Bool {
        state.withLock { _ in !lane.isBusy }
    }

    /// Waits for an item that is ready; nil once the lanes are closed.
    func take() async throws -> Work? {
        while true {
            try Task.checkCancellation()
            let seen = bell.rings
            let (work, isClosed) = state.withLock { state -> (Work?, Bool) in
                guard !state.ready.isEmpty else { return (nil, state.isClosed) }
                state.busy += 1
                return (state.ready.removeFirst(), false)
            }
            if work != nil || isClosed { return work }
            await bell.wait(after: seen, atMost: .never, on: scheduler)
        }
    }

    /// A worker is done with a lane's item: the next one in it is ready.
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
        bell.ring()
    }

    /// A worker is not done with a lane's item, and takes another one meanwhile: it comes again after a pause, and what
    /// is behind it in its lane waits. Where the scheduler has been shut down it comes at once.
    func putBack(_ work: Work, after pause: RxTimeInterval) {
        let timer = SingleAssignmentDisposable()
        let key = pauses.insert(timer)
        let turn = Turn { [self] in
            if let key { pauses.remove(for: key) }
            state.withLock { state in
                state.busy -= 1
                state.ready.append(work)
            }
            bell.ring()
        }
        timer.setDisposable(
            scheduler.scheduleRelative(turn, dueTime: pause) { turn in
                turn.come()
                return Disposables.create()
            })
    }

    /// Ends all pauses. To be called once nobody takes anything any more.
    func end() {
        pauses.dispose()
    }

    /// Waits until no worker has anything, nothing pauses and nothing waits, and lets the workers go.
    func close() async throws {
        while true {
            try Task.checkCancellation()
            let seen = bell.rings
            let isIdle = state.withLock { state in
                if state.busy == 0, state.ready.isEmpty { state.isClosed = true }
                return state.isClosed
            }
            if isIdle { return bell.ring() }
            await bell.wait(after: seen, atMost: .never, on: scheduler)
        }
    }
}

/// The end of a pause, which comes once: when its timer is due, or when a scheduler lets that go.
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

/// Which lane is which key's. Keys are the user's, and so they are compared and let go under no lock: the task that
/// pulls does that alone.
final class LaneTable<Key: Hashable, Item: Sendable>: @unchecked Sendable {  // one task's alone
    private let lanes: Lanes<Item>
    private var table: [Key: Lanes<Item>.Lane] = [:]
    /// How many lanes there may be before those that are idle are let go.
    private var sweepAt = 64

    init(_ lanes: Lanes<Item>) {
        self.lanes = lanes
    }

    /// Puts an item into its key's lane.
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
