import GRDB
import RxStreams

extension BrokerError {
    /// The error is ``unavailable(_:)`` if another attempt may succeed. This includes a file that cannot be reopened:
    /// the process may have too many open files.
    ///
    /// - Parameter isFirst: whether the file has never been opened.
    init(_ error: DatabaseError, path: String, isFirst: Bool = false) {
        let detail = error.message.map { " (\($0))" } ?? ""
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .unavailable("there is no room for '\(path)': its disk is full")
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: .unavailable("another process has locked '\(path)'")
            case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT:
                .unavailable("'\(path)' cannot be read or written\(detail)")
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .refused("'\(path)' cannot be written\(detail)")
            case .SQLITE_CANTOPEN where isFirst: .refused("'\(path)' cannot be opened\(detail)")
            case .SQLITE_CANTOPEN: .unavailable("'\(path)' cannot be opened\(detail)")
            case .SQLITE_NOTADB: .refused("'\(path)' is not an SQLite database")
            case .SQLITE_CORRUPT: .refused("'\(path)' is damaged\(detail)")
            default: .refused("'\(path)': \(error)")
            }
    }
}
