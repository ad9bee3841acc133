import NIOCore

/// What is subscribed on a connection.
final class NATSSubscription: Sendable {
    let sid: UInt64
    let subject: String
    /// Whether it is set again on each new connection; otherwise it goes with the one that it was made on.
    let isLasting: Bool
    /// Takes what comes, on the client's loop.
    let deliver: @Sendable (IncomingMessage) -> Void
    /// Called when it is over by no doing of its owner: with the client, and one that is not lasting with its
    /// connection. On any thread.
    let end: (@Sendable () -> Void)?

    init(
        sid: UInt64, subject: String, isLasting: Bool, deliver: @escaping @Sendable (IncomingMessage) -> Void,
        end: (@Sendable () -> Void)?
    ) {
        self.sid = sid
        self.subject = subject
        self.isLasting = isLasting
        self.deliver = deliver
        self.end = end
    }
}

/// A message that is to be sent.
struct OutgoingMessage: Sendable {
    var subject: String
    var reply: String?
    var fields: [NATSHeaders.Field] = []
    var payload: [UInt8] = []

    var size: Int { ByteBuffer.headerSize(fields) + payload.count }
}
