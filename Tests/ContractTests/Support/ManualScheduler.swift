#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import RxSwift
import TestSupport

/// A scheduler with virtual time. Any thread may schedule and advance the time. One thread at a time runs the due
/// actions.
final class ManualScheduler: SchedulerType, Sendable {
    private struct Item {
        let due: Int
        let handle: SingleAssignmentDisposable
        let action: () -> any Disposable

        func run() {
            if !handle.isDisposed { handle.setDisposable(action()) }
        }
    }

    private struct State {
        var now = 0
        var isRunning = false
        var wasUsed = false
        /// The actions, ordered by due time, then by scheduling.
        var items: [Item] = []
    }

    private let state = Guarded(State())

    var now: RxTime { Date(timeIntervalSince1970: Double(state.withLock { $0.now }) / 1000) }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        insert(after: 0) { action(state) }
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        insert(after: dueTime.milliseconds) { action(state) }
    }

    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping (StateType) -> StateType
    ) -> any Disposable {
        let next = SerialDisposable()
        next.disposable = insert(after: startAfter.milliseconds) {
            self.repeatAction(action(state), period, action, next)
            return Disposables.create()
        }
        return next
    }

    private func repeatAction<StateType>(
        _ state: StateType, _ period: RxTimeInterval, _ action: @escaping (StateType) -> StateType,
        _ next: SerialDisposable
    ) {
        if next.isDisposed { return }
        next.disposable = insert(after: period.milliseconds) {
            self.repeatAction(action(state), period, action, next)
            return Disposables.create()
        }
    }

    var wasUsed: Bool { state.withLock { $0.wasUsed } }

    private func insert(after span: Int, _ action: @escaping () -> any Disposable) -> any Disposable {
        let handle = SingleAssignmentDisposable()
        state.withLock { state in
            state.wasUsed = true
            let due = state.now + max(span, 0)
            let place = state.items.firstIndex { $0.due > due } ?? state.items.endIndex
            state.items.insert(Item(due: due, handle: handle, action: action), at: place)
        }
        return handle
    }

    /// Advances time and runs the due actions. Returns at once if any thread is already running `advance`.
    func advance(by milliseconds: Int = 0) {
        let target = state.withLock { state -> Int? in
            if state.isRunning { return nil }
            state.isRunning = true
            return state.now + milliseconds
        }
        guard let target else { return }
        while let item = due(at: target) { item.run() }
        // `isDisposed` is read without the lock, because the explorer may switch threads there. `disposed` is released
        // without the lock, because an action may hold the last reference to a chain.
        let disposed = state.withLock { $0.items }.filter(\.handle.isDisposed)
        state.withLock { state in
            state.items.removeAll { item in disposed.contains { $0.handle === item.handle } }
        }
        withExtendedLifetime(disposed) {}
    }

    private func due(at target: Int) -> Item? {
        state.withLock { state in
            guard let first = state.items.first, first.due <= target else {
                state.now = target
                state.isRunning = false
                return nil
            }
            state.now = first.due
            return state.items.removeFirst()
        }
    }
}

extension RxTimeInterval {
    fileprivate var milliseconds: Int {
        switch self {
        case .seconds(let count): count * 1000
        case .milliseconds(let count): count
        case .microseconds(let count): count / 1000
        case .nanoseconds(let count): count / 1_000_000
        default: .max / 2
        }
    }
}
