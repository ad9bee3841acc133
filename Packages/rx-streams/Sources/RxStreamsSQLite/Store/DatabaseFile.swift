import Foundation
import GRDB
import RxStreams

enum DatabaseFile {
    static let patience = Duration.seconds(10)

    /// Returns a configuration whose busy handler retries about every millisecond. SQLite's own handler sleeps longer
    /// and longer, so other processes overtake it.
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

    /// Returns an absolute path, because later connections may open after a change of the current directory.
    static func whole(_ path: String) throws -> String {
        if path.isEmpty || path.hasPrefix(":memory:") || path.hasPrefix("file:") {
            throw BrokerError.refused("the path of a file is needed")
        }
        if path.hasPrefix("/") { return path }
        let folder = FileManager.default.currentDirectoryPath
        if folder.isEmpty { throw BrokerError.refused("the current directory has been removed") }
        return folder + "/" + path
    }

    static func open(_ path: String, patience: Duration) throws -> DatabasePool {
        let end = ContinuousClock.now + patience
        while true {
            do {
                let pool = try DatabasePool(path: path, configuration: configuration(patience: patience))
                try pool.writeWithoutTransaction { db in
                    // With NORMAL, which GRDB sets, a power failure may lose the latest messages.
                    try db.execute(sql: "PRAGMA synchronous = FULL")
                    try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
                    try Schema.prepare(db)
                }
                return pool
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                // If two processes convert a new file to WAL at once, one fails without waiting.
                usleep(.random(in: 1_000...10_000))
            }
        }
    }

    /// Identifies the file independently of its path.
    struct Identity: Equatable {
        private let device: UInt64
        private let number: UInt64

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            (device, number) = (UInt64(found.st_dev), UInt64(found.st_ino))
        }
    }

    /// Returns a closure that returns an error if the path no longer leads to the open file. SQLite would silently
    /// write into a removed file.
    static func guardian(_ path: String) -> @Sendable () -> BrokerError? {
        let identity = Identity(path)
        return {
            if Identity(path) == identity { return nil }
            return .refused(
                "'\(path)' has been removed or replaced while it was open: written data is lost. Open a new broker")
        }
    }

    static var connected: BrokerStatus {
        let version = Database.sqliteLibVersionNumber
        return .connected(server: "SQLite \(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)")
    }
}
