public import RxSwift

/// A stream driver that also delivers live messages and stores the values of cells.
///
/// Threads, errors and cancellation are as in ``StreamDriver``.
public protocol LiveDriver: StreamDriver {
    /// Sends a message to all current listeners. The message is not stored and may be lost.
    func send(_ message: NewMessage) async throws

    /// Returns the messages sent to matching subjects, from the subscription on.
    ///
    /// A lost connection does not end the sequence; messages sent until the next connection are lost. The sequence
    /// completes when the driver is closed. It fails with ``BrokerError/refused(_:)`` if the pattern is invalid or the
    /// engine forbids listening to it. If too many messages or bytes wait for the observer, messages are dropped and
    /// reported to `Hooks.droppedElementHandler`.
    func messages(on pattern: String) -> Observable<NewMessage>

    /// Returns the value of a cell; nil if none has been stored.
    func load(_ cell: String) async throws -> CellValue?

    /// Stores a `payload` in a `cell` and returns the new revision. Throws ``BrokerError/conflict`` if the cell's
    /// revision is not `revision`. A `revision` of 0 means an empty cell, and nil means any revision.
    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64

    /// Returns the current value of a cell, then each value stored later. A value may be skipped if a later one exists.
    /// Neither a lost connection nor a full queue downstream ends the sequence. It completes when the driver is closed.
    func values(of cell: String) -> Observable<CellValue>
}

/// The value of a cell.
public struct CellValue: Sendable, Equatable {
    /// The bytes.
    public var payload: [UInt8]
    /// The revision, above 0. Later values have higher revisions.
    public var revision: UInt64

    /// Creates a cell value.
    public init(_ payload: [UInt8], revision: UInt64) {
        self.payload = payload
        self.revision = revision
    }
}
