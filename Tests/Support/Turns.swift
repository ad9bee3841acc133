import RxSwift

/// A scheduler that runs an action when it is told to, on the thread that tells it.
package final class Turns: ImmediateSchedulerType {
    private var waiting: [() -> Void] = []

    package init() {}

    package func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        waiting.append { _ = action(state) }
        return Disposables.create()
    }

    package func runOne() {
        waiting.removeFirst()()
    }

    /// Runs what waits, and what that leads to.
    package func runAll() {
        while !waiting.isEmpty { runOne() }
    }
}
