import Synchronization

/// Something that is done once, in a task of its own; who asks for it again waits until it is done, too.
///
/// Guards: `task` is under its lock, and never changes once it is there.
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
