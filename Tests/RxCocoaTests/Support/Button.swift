import RxCocoa
import TestSupport

/// Sends the number of each press to its listeners, on the pressing thread.
// @unchecked Sendable because `state` is protected by its lock, and the other properties are constant.
final class Button: ControlTarget, @unchecked Sendable {
    let lifetime = ControlLifetime()
    let scheduler: any ImmediateSchedulerType
    private let state = Guarded(State())
    private let log: Log?

    private struct State {
        var listeners: [Int: @Sendable (Int) -> Void] = [:]
        var nextID = 0
        var title: String? = ""
    }

    init(log: Log? = nil, scheduler: any ImmediateSchedulerType = Here()) {
        self.log = log
        self.scheduler = scheduler
    }

    var listeners: Int { state.withLock { $0.listeners.count } }

    var title: String? {
        get { state.withLock { $0.title } }
        set { state.withLock { $0.title = newValue } }
    }

    func press(_ number: Int) {
        let listeners = state.withLock { $0.listeners.values }
        for listener in listeners { listener(number) }
    }

    func listen(_ send: @escaping @Sendable (Int) -> Void) -> any Disposable {
        log?("listen")
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = send
            return state.nextID
        }
        return Disposables.create { [weak self, log] in
            let listener = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            log?("stop")
            withExtendedLifetime(listener) {}
        }
    }
}

struct Here: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        action(state)
    }
}
