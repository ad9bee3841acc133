public import RxSwift

/// What carries messages to whoever listens, and values to whoever looks: the rest of a broker.
///
/// Threads, errors and cancellation are as with ``StreamDriver``.
public protocol LiveDriver: StreamDriver {
    /// Sends a message to all who listen at the moment; nobody else gets it, and it may be lost.
    func send(_ message: NewMessage) async throws

    /// What is sent to subjects that match, from the subscription on.
    ///
    /// It never fails for want of a connection: after one has been lost it goes on with the next, and what was sent
    /// meanwhile is lost. It completes when the driver is closed, and fails with ``BrokerError/refused(_:)`` where the
    /// pattern is none or the engine forbids to listen to it. Messages that cannot wait, because of their number or
    /// their bytes, are dropped and reported to `Hooks`: a bound below does not end it.
    func messages(on pattern: String) -> Observable<NewMessage>

    /// Reads a cell; nil where nothing has been stored in it.
    func load(_ cell: String) async throws -> CellValue?

    /// Stores a value in a cell, and returns its revision.
    ///
    /// - Parameters:
    ///   - payload: the value's bytes.
    ///   - cell: the cell's name.
    ///   - revision: the one that the cell must have, 0 for none yet; nil for any.
    /// - Throws: ``BrokerError/conflict`` where it has another.
    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64

    /// What a cell holds, then each value that is stored in it. Values may be left out where a later one has come.
    ///
    /// It never fails for want of a connection, nor of room where it is bounded, and ends when the driver is closed.
    func values(of cell: String) -> Observable<CellValue>
}

/// What a cell holds.
public struct CellValue: Sendable, Equatable {
    /// The value's bytes.
    public var payload: [UInt8]
    /// Which version it is: later ones have higher numbers, above 0.
    public var revision: UInt64

    /// Makes what a cell holds.
    public init(_ payload: [UInt8], revision: UInt64) {
        self.payload = payload
        self.revision = revision
    }
}
