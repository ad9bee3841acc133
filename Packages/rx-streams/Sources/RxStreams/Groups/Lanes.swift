import RxSwift
import Synchronization

/// What waits for a worker: lanes of which each is with one worker at a time, so that what is in one keeps its order.
///
/// Guards: `state` is under its lock; waiters are woken outside.
final class Lanes<Item: Sendable>: Sendable {
    private struct State {
        /// What waits behind a lane's item that a worker has; a lane that nobody has is not here.
        var lanes: [AnyHashableSendable: [Item]] = [:]
        /// What a worker may take.
        var ready: [Work] = []
        /// How many workers have an item.
        var busy = 0
        var isClosed = false
    }

    typealias Work = (key: AnyHashableSendable?, item: Item)

    private let state = Mutex(State())
    private let bell = Bell()
    private let scheduler: any SchedulerType & Sendable

    init(_ scheduler: any SchedulerType & Sendable) {
        self.scheduler = scheduler
    }

    /// Puts an item into a lane; one without a key has a lane of its own.
    func add(_ item: Item, to key: AnyHashableSendable?) {
        let isReady = state.withLock { state in
            if let key {
                if state.lanes[key] != nil {
                    state.lanes[key]?.append(item)
                    return false
                }
                state.lanes[key] = []
            }
            state.ready.append((key, item))
            return true
        }
        if isReady { bell.ring() }
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
    func finish(_ key: AnyHashableSendable?) {
        state.withLock { state in
            state.busy -= 1
            guard let key else { return }
            guard var lane = state.lanes[key], !lane.isEmpty else {
                state.lanes[key] = nil
                return
            }
            let next = lane.removeFirst()
            state.lanes[key] = lane
            state.ready.append((key, next))
        }
        bell.ring()
    }

    /// Waits until no worker has anything and nothing waits, and lets the workers go.
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

/// A key of any type that may go from task to task.
struct AnyHashableSendable: Hashable, @unchecked Sendable {  // made of Sendable values alone
    private let key: AnyHashable

    init(_ key: some Hashable & Sendable) {
        self.key = AnyHashable(key)
    }
}
