public import NIOCore
import NIOHTTP1
import NIOPosix
import RxSwift

/// An HTTP/1.1 server, based on SwiftNIO, that serves only an inspector.
///
/// ```swift
/// let server = try await InspectorServer.start(inspector, port: 9090)
/// // ssh -L 9090:127.0.0.1:9090 HOST, then open http://127.0.0.1:9090/
/// ```
///
/// The server listens on 127.0.0.1 only, and answers only requests for this address or `localhost`. So other machines
/// and the web pages of other sites cannot read the inspector; other users of the same machine can.
public final class InspectorServer: Sendable {
    private let channel: any Channel

    /// The port on which the server listens.
    public let port: Int

    private init(_ channel: any Channel, port: Int) {
        self.channel = channel
        self.port = port
    }

    /// Starts a server on `port`, with an event loop of `group`. If `port` is 0, the system chooses a free port. The
    /// server retains the `inspector`, and listens until ``stop()``, even if the server is released. Throws an error of
    /// SwiftNIO if the port is in use.
    public static func start(
        _ inspector: Inspector, port: Int = 0, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> InspectorServer {
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(InspectorHandler(inspector))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return InspectorServer(channel, port: channel.localAddress?.port ?? port)
    }

    /// Stops listening. Open pages stay connected. Throws an error of SwiftNIO if the socket cannot be closed.
    public func stop() async throws {
        do {
            try await channel.close()
        } catch ChannelError.alreadyClosed {
        }
    }
}

/// Used only by the connection's event loop.
final class InspectorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let inspector: Inspector
    private var head: HTTPRequestHead?
    private var events: Task<Void, Never>?

    init(_ inspector: Inspector) {
        self.inspector = inspector
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        events?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard Self.isLocal(head.headers["host"]) else { return refuse(.misdirectedRequest, head, context) }
        guard head.method == .GET else { return refuse(.methodNotAllowed, head, context) }
        let response = inspector.respond(to: head.uri)
        var headers = HTTPHeaders([("Content-Type", response.contentType)])
        for (name, value) in response.headers { headers.add(name: name, value: value) }
        switch response.body {
        case .bytes(let bytes):
            send(HTTPResponseStatus(statusCode: response.status), headers, bytes, head, context)
        case .events(let events):
            headers.add(name: "Connection", value: "close")
            let start = HTTPResponseHead(version: head.version, status: .ok, headers: headers)
            context.writeAndFlush(wrapOutboundOut(.head(start)), promise: nil)
            send(events, to: context.channel)
        }
    }

    private func send(_ events: AsyncStream<[UInt8]>, to channel: any Channel) {
        // `channelInactive` cancels this task, which ends the sequence.
        self.events = Task {
            for await event in events {
                let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: event)))
                // Waits while the client does not read; the sequence drops older events.
                guard (try? await channel.writeAndFlush(part)) != nil else { return }
            }
        }
    }

    private func refuse(_ status: HTTPResponseStatus, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        send(
            status, HTTPHeaders([("Content-Type", "text/plain")]), Array("\(status.reasonPhrase)\n".utf8), head, context
        )
    }

    private func send(
        _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: [UInt8], _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        var headers = headers
        headers.add(name: "Content-Length", value: "\(body.count)")
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: status, headers: headers))),
            promise: nil)
        // A client would parse the body of a response to HEAD as the next response.
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !head.isKeepAlive { channel.close(promise: nil) }
        }
    }

    /// Whether `Host` names this machine. The check refuses requests from pages of another site whose name
    /// resolves to 127.0.0.1.
    static func isLocal(_ hosts: [String]) -> Bool {
        guard hosts.count == 1, let host = hosts.first else { return false }
        let name = host.prefix { $0 != ":" }.lowercased()
        return name == "127.0.0.1" || name == "localhost"
    }
}
