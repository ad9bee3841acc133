import GRDB
import RxStreams
import RxSwift
import Synchronization

/// Rings a bell when the file has been changed, also by another process, while somebody waits.
///
/// SQLite has no call for that: `PRAGMA data_version` is asked for every 50 ms while somebody waits, which reads a few
/// bytes of shared memory. Always by the same connection, which writes nothing, so that it tells every change.
///
/// Guards: `state` is under its lock. `version` is with the one task there is.
final class FileWatch: Sendable {
    private struct State {
        var waiting = 0
        var isWatching = false
        /// The version that was seen last. What has changed since, be it while nobody watched, rings.
        var version: Int64 = 0
    }

    private static let pause = Duration.milliseconds(50)

    private let connection: DatabaseQueue
    private let scheduler: any SchedulerType & Sendable
    private let state = Mutex(State())
    let bell = Bell()

    /// - Parameter path: a file that is a WAL database, and open.
    init(_ path: String, _ configuration: Configuration, _ scheduler: any SchedulerType & Sendable) throws {
        var configuration = configuration
        configuration.readonly = true
        connection = try DatabaseQueue(path: path, configuration: configuration)
        self.scheduler = scheduler
    }

    /// Waits until the bell has rung after `seen`, or the span has passed, or the task is cancelled.
    func wait(after seen: UInt64, atMost span: RxTimeInterval) async {
        let begins = state.withLock { state in
            state.waiting += 1
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { Task { await watch() } }
        await bell.wait(after: seen, atMost: span, on: scheduler)
        state.withLock { $0.waiting -= 1 }
    }

    private func watch() async {
        var isWanted = true
        while isWanted {
            try? await Task.sleep(for: Self.pause)
            // Who waits finds out himself what is wrong with the file.
            let version = try? await connection.unsafeRead { db in
                try db.value("PRAGMA data_version", as: Int64.self)
            }
            let (isNew, goesOn) = state.withLock { state in
                let isNew = version != state.version
                if let version { state.version = version }
                if state.waiting == 0 { state.isWatching = false }
                return (isNew, state.waiting > 0)
            }
            if isNew { bell.ring() }
            isWanted = goesOn
        }
    }

    func close() throws {
        try connection.close()
    }
}
