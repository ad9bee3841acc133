import Foundation
import GRDB
import RxStreams

/// How the file is opened.
enum DatabaseFile {
    /// For how long a busy file is waited for.
    static let patience = Duration.seconds(10)

    /// How each connection is made.
    ///
    /// SQLite's own way of waiting sleeps ever longer, and so lets the others go first again and again. Here who waits
    /// asks about every millisecond, at random.
    static func configuration(patience: Duration) -> Configuration {
        var configuration = Configuration()
        configuration.label = "RxStreams"
        let steps = Int(patience / .milliseconds(1))
        configuration.busyMode = .callback { tries in
            usleep(.random(in: 500...1_500))
            return tries < steps
        }
        return configuration
    }

    /// The path from the root on. Connections are opened as they are needed: where the program has gone to another
    /// folder by then, it leads to the same file.
    static func whole(_ path: String) throws -> String {
        if path.isEmpty || path.hasPrefix(":memory:") || path.hasPrefix("file:") {
            throw BrokerError.refused("a path of a file is wanted")
        }
        if path.hasPrefix("/") { return path }
        let folder = FileManager.default.currentDirectoryPath
        if folder.isEmpty { throw BrokerError.refused("the program's folder has been removed") }
        return folder + "/" + path
    }

    /// - Parameter path: a whole one.
    static func open(_ path: String, patience: Duration) throws -> DatabasePool {
        let end = ContinuousClock.now + patience
        while true {
            do {
                let pool = try DatabasePool(path: path, configuration: configuration(patience: patience))
                try pool.writeWithoutTransaction { db in
                    // What is acknowledged survives a power failure. GRDB has set NORMAL, which may lose the last.
                    try db.execute(sql: "PRAGMA synchronous = FULL")
                    try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
                    try Schema.prepare(db)
                }
                return pool
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                // Two processes that turn a new file into a WAL database do not wait for each other by themselves.
                usleep(.random(in: 1_000...10_000))
            }
        }
    }

    /// Which file it is, wherever its path leads later.
    struct Identity: Equatable {
        private let device: UInt64
        private let number: UInt64

        /// Nil where there is none.
        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            (device, number) = (UInt64(found.st_dev), UInt64(found.st_ino))
        }
    }

    /// What asks whether the file that is open is the one that others find, and is kept: it says why not. SQLite goes
    /// on writing into one that has been removed, without a word.
    ///
    /// - Parameter path: a whole one.
    static func guardian(_ path: String) -> @Sendable () -> BrokerError? {
        let identity = Identity(path)
        return {
            if Identity(path) == identity { return nil }
            return .refused(
                "'\(path)' has been removed or replaced while it was open: what is written is lost. Open a new broker")
        }
    }

    /// What the broker says it is connected to.
    static var connected: BrokerStatus {
        let version = Database.sqliteLibVersionNumber
        return .connected(server: "SQLite \(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)")
    }
}
