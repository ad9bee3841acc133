public import Logging
public import NIOCore
import NIOPosix
public import NIOSSL
public import RxStreams

/// Streams on the servers of NATS, for as many machines as are wanted: JetStream keeps what is to be kept.
///
/// ```swift
/// let broker = try NATSBroker(servers: ["nats://a:4222", "nats://b:4222"], logger: logger)
/// let orders = broker.stream("orders", of: Order.self, subjects: ["orders.>"], replicas: 3)
/// ```
///
/// It needs servers of version 2.9 or later, with JetStream for all but live subjects.
///
/// - **Connection**: it is made in the background, at once, to one server at a time; when it is lost the next server is
///   tried, in turn and less and less often, those that the servers name among them. All that was set on it is set
///   again. Where a server is named by its number alone, its certificate has to be for the name of the one that named
///   it. TLS begins after the server's first words: a server that wants it before them (`handshake_first`) cannot be
///   reached.
/// - **What it can lose**: a server writes its files to the disk every two minutes unless it is told `sync_interval:
///   always`; so after a power failure what one server alone had acknowledged may be gone. Three replicas, or that
///   setting.
/// - **Permissions**: streams, groups and relays publish to `$JS.API.>`, `$JS.ACK.>`, the streams' subjects and
///   `$KV.>`, and subscribe to `_INBOX.>`; live subjects need theirs alone. A call that the server
///   forbids fails with `BrokerError.refused(_:)`. If the server forbids the acknowledgements of a group, `work` and
///   `deliveries` in that group fail with that error as soon as the first acknowledgement has been refused. If it
///   forbids sending to a live subject, that is only logged. Of the server's errors of one kind, ten are logged a
///   minute.
/// - **Subjects**: of at most 2048 bytes. Longer ones are refused, to send to and to listen to. A stream's patterns
///   match none of the server's own: so none is `>` or `*.>`, or begins with `*.*.`.
/// - **Groups**: a group's members have one deadline, the longest that any of them has wanted since the group was made.
///   A server of 2.9 does not tell who makes a group from who finds one: where two members make it at one moment with
///   other subjects, the second one's are taken.
/// - **Large elements**: a pull brings at most 4 MiB, or one message; the rest comes with the next. A server holds
///   64 MiB for a connection, unless its `max_pending` says otherwise, and cuts it beyond: who has many pipelines of
///   large elements on a slow line gives them brokers of their own, or the server more to hold.
/// - **Memory**: whoever sends waits while 4 MiB wait to be sent. Those who are let through at once add a message each,
///   or 4 MiB of a batch; and once as much may have been handed to the connection before. Of live messages at most
///   8192, of 64 MiB, wait for each subscription; then the oldest are dropped and reported to
///   `Hooks.droppedElementHandler`. Where somebody has read a stream, what was on its way to him waits up to 20 seconds
///   for who reads on there; that of 16 at most. The server's PINGs are answered by one write at a time.
/// - **End**: `Broker.close()`, or the graceful shutdown of the service group it runs in.
public final class NATSBroker: Broker {
    /// What keeps the streams.
    public let driver: any LiveDriver

    /// Makes a broker, which begins to connect.
    ///
    /// - Parameters:
    ///   - servers: where they are: `nats://[USER[:PASSWORD]@]HOST[:PORT]`, or `tls://...`, which is never spoken to in
    ///     the clear.
    ///   - authentication: who the program is to them.
    ///   - tls: how TLS is spoken. Where it is given, it is always spoken; without it, with `tls://` and where a server
    ///     wants it, with what the system trusts.
    ///   - name: what the servers' lists call the program.
    ///   - eventLoopGroup: where its loop is; it has to outlive the broker.
    ///   - logger: where it writes of connections.
    /// - Throws: `BrokerError.refused(_:)` for a server that is none, or settings of TLS that cannot be used.
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
                throw BrokerError.refused("these settings of TLS cannot be used: \(NATSLink.words(error))")
            }
        }
        self.init(options, on: eventLoopGroup.any(), logger: logger)
    }

    init(_ options: NATSClient.Options, on loop: any EventLoop, logger: Logger) {
        driver = NATSDriver(NATSClient(options, on: loop, logger: logger))
    }

    private static func addresses(_ servers: [String]) throws -> [NATSAddress] {
        if servers.isEmpty { throw BrokerError.refused("no servers: it takes at least one nats://HOST:PORT") }
        return try servers.map { try NATSAddress($0) }
    }
}
