public import RxStreams

/// A broker in a file: streams for one machine, durable, with no server. The default until it is outgrown.
///
/// ```swift
/// let broker = try SQLiteBroker(path: "streams.sqlite")
/// let orders = broker.stream("orders", of: Order.self)
/// ```
///
/// Several processes of one machine may share the file: their members share a group's messages, and what one of them
/// keeps wakes the others within some 50 ms. It is no file for a network file system.
///
/// - **Durability**: WAL with `synchronous = FULL`. What is acknowledged has been synced, and survives a power failure
///   if the disk tells the truth. What several tasks write at the same time shares one sync.
/// - **Time**: deadlines, pauses, ages and the duplicate window are on the system's clock, because processes share
///   them. Where that is set forward, messages come again early and ids are forgotten early; where it is set back,
///   late.
/// - **Members**: one that leaves, or whose broker is closed, hands back at once what it has; the messages of a process
///   that dies come again when their deadline has passed.
/// - **Subjects and cells**: other processes see them within some 50 ms, too. What is sent to a subject is heard in
///   this process at once, on the sender's thread; in others by who reads it within ten seconds. Where that is bounded
///   and has no room, at most 8192 messages of 64 MiB wait; then the oldest are dropped and reported to
///   `Hooks.droppedElementHandler`.
/// - **Settings**: a stream that is there takes on new ones. A group keeps its start and its subjects, and refuses a
///   member that describes other subjects; each member has its own deadline. `replicas` is always 1.
/// - **Errors**: while the disk is full, too many files are open, or another process holds the file for more than ten
///   seconds, `BrokerError.unavailable(_:)`. Once a write has failed so, `status` says that it is being connected,
///   until one is well: the broker tries that itself each second. The file keeps what it had. Where the file has been
///   removed, moved or replaced while it is open, all that writes is refused; who only reads is given what was in it or
///   what is in its place.
public final class SQLiteBroker: Broker {
    /// What keeps the streams.
    public let driver: any LiveDriver

    /// Opens a file, or makes it. It blocks its thread while it does, for up to ten seconds where another process holds
    /// the file.
    ///
    /// - Parameter path: the file's path; a relative one begins in the folder that the program is in now. Beside the
    ///   file SQLite keeps two more, with `-wal` and `-shm` at their ends.
    /// - Throws: `BrokerError.refused(_:)` where it is no database, one of something else, damaged, of a later version,
    ///   or cannot be opened or written; `BrokerError.unavailable(_:)` where it is busy or the disk is full.
    public init(path: String) throws {
        driver = try SQLiteDriver(path: path)
    }
}
