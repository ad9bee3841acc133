import NIOCore
import RxStreams

final class NATSSubscription: Sendable {
    let sid: UInt64
    let subject: String
    /// See `NATSClient.subscribe`.
    let isLasting: Bool
    let deliver: @Sendable (IncomingMessage) -> Void
    /// The subject to which the owner sends its requests for messages.
    let asks: String?
    /// Called on any thread if the client is closed, or if the server forbids the subscription or publishing to `asks`.
    /// If `isLasting` is false, also called if the connection is lost.
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

struct OutgoingMessage: Sendable {
    var subject: String
    var reply: String?
    var fields: [NATSHeaders.Field] = []
    var payload: [UInt8] = []

    var size: Int { ByteBuffer.headerSize(fields) + payload.count }
}
