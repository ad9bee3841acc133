public import Logging
public import NIOCore
import NIOPosix
public import NIOSSL
public import RxStreams

/// Streams on NATS servers, for any number of machines. JetStream stores the messages.
///
/// ```swift
/// let broker = try NATSBroker(servers: ["nats://a:4222", "nats://b:4222"], logger: logger)
/// let orders = broker.stream("orders", of: Order.self, subjects: ["orders.>"], replicas: 3)
/// ```
///
/// The servers must have version 2.9 or later, and JetStream for everything except live subjects.
///
/// - **Connection**: the broker connects to one server at a time. If the connection is lost, it tries one server after
///   the other, including announced ones, with growing pauses. If a server is announced by its IP address alone, its
///   certificate must be valid for the name of the announcing server. TLS starts after the server's first message, so
///   `handshake_first` is not supported.
/// - **What it can lose**: a power failure may lose the messages of the last two minutes. Use three replicas, or
///   `sync_interval: always`.
/// - **Permissions**: streams, groups and relays publish to `$JS.API.>`, `$JS.ACK.>`, the streams' subjects and
///   `$KV.>`, and subscribe to `_INBOX.>`. A live subject needs only its own permission. A forbidden call fails with
///   `BrokerError.refused(_:)`. If acknowledgements are forbidden, `work` and `deliveries` fail with that error after
///   the first acknowledgement. A forbidden live message only causes a log entry. At most ten server errors of each
///   kind are logged per minute.
/// - **Subjects**: at most 2048 bytes. A stream's patterns must not match the server's own subjects: none may be `>` or
///   `*.>`, or begin with `*.*.`.
/// - **Groups**: if two members create a group on a 2.9 server at the same moment with different subjects, the subjects
///   of the second apply.
/// - **Pauses**: the server may send messages of an open pull after the chain below `work` has paused. They wait in the
///   process, and their deadlines are not extended. If the pause outlasts the deadline, they are delivered again,
///   perhaps after later elements of their key, and each delivery counts as an attempt.
/// - **Large elements**: a pull returns at most 4 MiB, or a single larger message. A server closes a connection with
///   more unsent data than its `max_pending`, 64 MiB by default. For many pipelines of large elements on a slow line,
///   use several brokers or raise that limit.
/// - **Memory**: a sender waits while 4 MiB are unsent. Several senders at once may exceed this limit, each by a
///   message or by up to 4 MiB of a batch. The limit does not count the write in progress, which may be as large. When
///   a read of a stream ends, messages in transit are retained for up to 20 seconds, in case another read continues
///   where that one ended. At most 16 reads retain messages.
public final class NATSBroker: Broker {
    /// The driver that stores the streams.
    public let driver: any LiveDriver

    /// Creates a broker and starts connecting.
    ///
    /// - Parameters:
    ///   - servers: the servers' addresses: `nats://[USER[:PASSWORD]@]HOST[:PORT]`, or `tls://...` to require TLS.
    ///   - authentication: the program's credentials.
    ///   - tls: the TLS configuration. If set, TLS is always used. If nil, TLS with the system's trusted certificates
    ///     is used if the address begins with `tls://` or the server requires it.
    ///   - name: the program's name in the servers' lists of clients.
    ///   - eventLoopGroup: provides the event loop; it must outlive the broker.
    ///   - logger: logs the state of the connection.
    /// - Throws: `BrokerError.refused(_:)` for an invalid address or unusable TLS settings.
    public convenience init(
        servers: [String], authentication: NATSAuthentication = .none, tls: TLSConfiguration? = nil,
        name: String = "rx-streams", eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "RxStreamsNATS")
    ) throws {
        var options = NATSClient.Options(addresses: try Self.addresses(servers))
        options.authentication = authentication
        options.name = name
        if let tls {
            do {
                options.tls = try NIOSSLContext(configuration: tls)
            } catch {
                throw BrokerError.refused("these TLS settings cannot be used: \(NATSLink.words(error))")
            }
        }
        self.init(options, on: eventLoopGroup.any(), logger: logger)
    }

    init(_ options: NATSClient.Options, on loop: any EventLoop, logger: Logger) {
        driver = NATSDriver(NATSClient(options, on: loop, logger: logger))
    }

    private static func addresses(_ servers: [String]) throws -> [NATSAddress] {
        if servers.isEmpty { throw BrokerError.refused("no servers: at least one nats://HOST:PORT is needed") }
        return try servers.map { try NATSAddress($0) }
    }
}
