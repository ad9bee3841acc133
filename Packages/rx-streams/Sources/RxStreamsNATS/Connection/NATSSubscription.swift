import NIOCore
import RxStreams

/// What is subscribed on a connection.
final class NATSSubscription: Sendable {
    let sid: UInt64
    let subject: String
    /// Whether it is set again on each new connection; otherwise it goes with the one that it was made on.
    let isLasting: Bool
    /// Takes what comes, on the client's loop.
    let deliver: @Sendable (IncomingMessage) -> Void
    /// Where what comes is asked for; nil where it comes unasked.
    let asks: String?
    /// Called when it is over by no doing of its owner: with the client, one that is not lasting with its connection,
    /// and where the server does not allow it, or that it is asked. On any thread.
    let end: (@Sendable (BrokerError) -> Void)?

    init(
        sid: UInt64, subject: String, isLasting: Bool, asks: String?,
        deliver: @escaping @Sendable (IncomingMessage) -> Void, end: (@Sendable (BrokerError) -> Void)?
    ) {
        self.sid = sid
        self.subject = subject
        self.isLasting = isLasting
        self.asks = asks
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
