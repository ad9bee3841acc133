import RxSwift

/// Runs its actions in `runOne` or `runAll`, on the calling thread.
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

    package func runAll() {
        while !waiting.isEmpty { runOne() }
    }
}
