import GRDB
import RxStreams
import RxSwift
import Synchronization

/// While a task waits, sends a signal when any process has changed the file.
///
/// SQLite does not notify other processes. So `watch` reads `PRAGMA data_version` every 50 ms, from a few bytes of
/// shared memory. The version does not change with the writes of the reading connection, so that connection never
/// writes.
///
/// Guards: `state` is protected by its lock. Only one `watch` task runs at a time.
final class FileWatch: Sendable {
    private struct State {
        var waiting = 0
        var isWatching = false
        /// The last version. A change while no task waits is signalled at the next wait.
        var version: Int64 = 0
    }

    private static let pause = Duration.milliseconds(50)

    private let connection: DatabaseQueue
    private let scheduler: any SchedulerType & Sendable
    private let state = Mutex(State())
    let signal = AsyncSignal()

    init(_ path: String, _ configuration: Configuration, _ scheduler: any SchedulerType & Sendable) throws {
        var configuration = configuration
        configuration.readonly = true
        connection = try DatabaseQueue(path: path, configuration: configuration)
        self.scheduler = scheduler
    }

    /// Like `AsyncSignal.wait(after:atMost:on:)`.
    func wait(after seen: UInt64, atMost span: RxTimeInterval) async {
        let begins = state.withLock { state in
            state.waiting += 1
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { Task { await watch() } }
        await signal.wait(after: seen, atMost: span, on: scheduler)
        state.withLock { $0.waiting -= 1 }
    }

    private func watch() async {
        var isWanted = true
        while isWanted {
            try? await Task.sleep(for: Self.pause)
            // If this read fails, the signal wakes the waiting tasks, and their own reads report the error.
            let version = try? await connection.unsafeRead { db in
                try db.value("PRAGMA data_version", as: Int64.self)
            }
            let (isNew, goesOn) = state.withLock { state in
                let isNew = version != state.version
                if let version { state.version = version }
                if state.waiting == 0 { state.isWatching = false }
                return (isNew, state.waiting > 0)
            }
            if isNew { signal.send() }
            isWanted = goesOn
        }
    }

    func close() throws {
        try connection.close()
    }
}
