import Synchronization

/// Runs work once, in its own task. Further calls wait until that task has ended.
///
/// Guards: `task` is protected by its lock and never changes once it is set.
package final class Once: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    package init() {}

    package func run(_ work: @escaping @Sendable () async -> Void) async {
        let task = task.withLock { task in
            let begun = task ?? Task { await work() }
            task = begun
            return begun
        }
        await task.value
    }
}
