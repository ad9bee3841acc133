public import RxStreams

/// Durable streams in a file, for one machine without a server.
///
/// ```swift
/// let broker = try SQLiteBroker(path: "streams.sqlite")
/// let orders = broker.stream("orders", of: Order.self)
/// ```
///
/// Several processes may share the file and the messages of a group. They see each other's changes within about 50 ms.
/// The file must not be on a network file system.
///
/// - **Durability**: WAL with `synchronous = FULL`. An acknowledged message survives a power failure, if the disk
///   honours syncs. Concurrent writes share one sync.
/// - **Time**: deadlines, pauses, ages and the duplicate window use the system clock. If it is set forward, messages
///   are delivered again early and ids are forgotten early. If it is set back, both happen late.
/// - **Subjects**: a message reaches listeners in this process at once, on the sender's thread. Listeners in other
///   processes must read it within ten seconds. If a bounded queue downstream is full, at most 8 192 messages and 64
///   MiB wait. Older messages are dropped and reported to `Hooks.droppedElementHandler`.
/// - **Settings**: an existing stream takes new settings. A group keeps its start and its subjects, and refuses a
///   member that specifies other subjects. Each member has its own deadline. `replicas` is always 1.
/// - **Errors**: calls fail with `BrokerError.unavailable(_:)` while the disk is full, while the process has too many
///   open files, or if another process locks the file for more than ten seconds. After a failed write, the file stays
///   intact, `status` is `connecting`, and the broker tries a write each second until one succeeds. If the file has
///   been removed, moved or replaced while open, all writes are refused; reads return the contents of the old or the
///   new file.
public final class SQLiteBroker: Broker {
    /// The driver that stores the streams.
    public let driver: any LiveDriver

    /// Opens or creates a file. Blocks the thread for up to ten seconds while another process holds its lock.
    ///
    /// - Parameter path: the file's path. SQLite adds two files with the suffixes `-wal` and `-shm`.
    /// - Throws: `BrokerError.refused(_:)` if the file is not a database, belongs to another program, is damaged, has a
    ///   later version, or cannot be opened or written; `BrokerError.unavailable(_:)` if the file is busy or the disk
    ///   is full.
    public init(path: String) throws {
        driver = try SQLiteDriver(path: path)
    }
}
