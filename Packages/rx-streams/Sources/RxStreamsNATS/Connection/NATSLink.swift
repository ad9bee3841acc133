import Foundation
import NIOCore
import NIOSSL
import RxStreams

/// One connection to one server, from the INFO message until it is closed.
///
/// ```
/// waiting for INFO ──► waiting for PONG, after sending CONNECT and PING ──► open ──► over
/// ```
///
/// Guards: all members belong to the loop. `ready` and `over` are each resolved once, at the latest when the link ends.
final class NATSLink: ChannelInboundHandler, @unchecked Sendable {  // because of the guard
    typealias InboundIn = ByteBuffer

    struct Settings: Sendable {
        var address: NATSAddress
        var authentication: NATSAuthentication
        var tls: NIOSSLContext?
        var name: String
        var pingInterval: TimeAmount
        var pingsMissed: Int
    }

    private enum Phase {
        case waitingForInfo
        case waitingForPong
        case open
        case over
    }

    /// Succeeds once the server has accepted the client.
    let ready: EventLoopPromise<ServerInfo>
    /// Succeeds with the reason when the connection has ended.
    let over: EventLoopPromise<String>

    let settings: Settings
    private let receive: @Sendable (NATSLink, ServerFrame) -> Void
    private var phase = Phase.waitingForInfo
    private var parser = NATSParser()
    private var info = ServerInfo()
    private var context: ChannelHandlerContext?
    private var why: String?
    /// The latest error, after which the server may close the connection.
    private var lastError: String?
    private var unanswered = 0
    /// The number of unanswered PINGs from the server.
    private var owedPongs = 0
    private var isAnswering = false
    private var keepalive: RepeatedTask?

    /// Once the link is ready, `receive` handles the server's frames on the loop. The frame `.ping` comes from the link
    /// itself: `receive` must then send a PING.
    init(_ settings: Settings, on loop: any EventLoop, receive: @escaping @Sendable (NATSLink, ServerFrame) -> Void) {
        self.settings = settings
        self.receive = receive
        ready = loop.makePromise()
        over = loop.makePromise()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The link may have been closed while the channel was connecting, for example during a slow host lookup.
        if phase == .over { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end("the connection was closed")
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.add(unwrapInboundIn(data))
        unanswered = 0
        do {
            while phase != .over, let frame = try parser.next() { handle(frame, context) }
        } catch {
            close(because: "\(error)")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let cut = parser.isEmpty ? "" : " in the middle of a message"
        end(lastError ?? "the server closed the connection\(cut)")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isCut = (error as? IOError).map { [ECONNRESET, EPIPE].contains($0.errnoCode) } ?? false
        close(because: lastError ?? (isCut ? "the server closed the connection" : Self.words(error)))
    }

    func close(because why: String) {
        if phase == .over { return }
        self.why = self.why ?? why
        let context = self.context
        end(why)
        context?.close(promise: nil)
    }

    /// Writes bytes. The result succeeds when the system has accepted them; it is nil if the link is not open.
    func write(_ bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        guard phase == .open, let context else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(NIOAny(bytes), promise: promise)
        return promise.futureResult
    }

    private func end(_ why: String) {
        if phase == .over { return }
        let wasReady = phase == .open
        phase = .over
        keepalive?.cancel()
        keepalive = nil
        parser = NATSParser()
        let reason = self.why ?? why
        if !wasReady { ready.fail(BrokerError.unavailable(reason)) }
        over.succeed(reason)
    }
}

extension NATSLink {
    private func handle(_ frame: ServerFrame, _ context: ChannelHandlerContext) {
        switch frame {
        case .ok: break
        case .info(let info):
            self.info = info
            if phase == .waitingForInfo { greet(context) } else { receive(self, frame) }
        case .ping:
            owedPongs += 1
            answer(context)
        case .error(let text): heed(text)
        case .pong where phase == .waitingForPong:
            phase = .open
            keep(context)
            ready.succeed(info)
        case .pong, .message:
            if phase == .open {
                receive(self, frame)
            } else {
                close(because: "the server sent messages before the handshake was complete")
            }
        }
    }

    /// Handles an error that the server reports. After most errors, the server closes the connection.
    private func heed(_ text: String) {
        let lower = text.lowercased()
        let leaves = ["permissions violation", "invalid subject", "maximum subscriptions exceeded"]
        if phase == .open, leaves.contains(where: lower.hasPrefix) {
            receive(self, .error(text))
        } else {
            lastError = "the server says: \(text.prefix(200))"
            if phase != .open { close(because: lastError ?? "") }
        }
    }

    /// Answers the server's INFO with CONNECT, over TLS if required.
    private func greet(_ context: ChannelHandlerContext) {
        if let objection = info.objection { return close(because: objection) }
        let wantsTLS = settings.address.wantsTLS || info.requiresTLS || settings.tls != nil
        do {
            if wantsTLS { try secure(context) }
            let connect = try ConnectCommand(info: info, settings: settings, tls: wantsTLS).json()
            phase = .waitingForPong
            send(context) {
                $0.writeConnect(connect)
                $0.writePing()
            }
        } catch {
            close(because: Self.words(error))
        }
    }

    /// Describes an error without source locations. TLS errors contain paths of the build machine.
    static func words(_ error: any Error) -> String {
        "\(error)".replacing(#/ at [^\n:]*\.(?:cc|c|h|inc|swift):[0-9]+/#, with: "")
    }

    private func secure(_ context: ChannelHandlerContext) throws {
        guard info.requiresTLS || info.offersTLS else { throw BrokerError.refused("the server does not support TLS") }
        // Plain text after INFO may have been injected by an attacker.
        guard parser.isEmpty else {
            throw BrokerError.refused("the server sent plain text where TLS must begin")
        }
        let tls = try settings.tls ?? NIOSSLContext(configuration: .makeClientConfiguration())
        let handler = try NIOSSLClientHandler(context: tls, serverHostname: settings.address.tlsName)
        try context.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    private func send(_ context: ChannelHandlerContext, _ write: (inout ByteBuffer) -> Void) {
        var bytes = context.channel.allocator.buffer(capacity: 256)
        write(&bytes)
        context.writeAndFlush(NIOAny(bytes), promise: nil)
    }

    /// Until the system has accepted a write of PONGs, further PINGs are only counted. So a server that sends PINGs and
    /// reads no PONGs costs no memory.
    private func answer(_ context: ChannelHandlerContext) {
        if isAnswering || owedPongs == 0 || phase == .over { return }
        isAnswering = true
        let count = min(owedPongs, 1_024)
        owedPongs -= count
        var bytes = context.channel.allocator.buffer(capacity: 6 * count)
        for _ in 0..<count { bytes.writePong() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess {
            // A direct call of `answer` could nest without limit, because a write may complete at once.
            loop.execute {
                let (link, context) = bound.value
                link.isAnswering = false
                link.answer(context)
            }
        }
        context.writeAndFlush(NIOAny(bytes), promise: promise)
    }

    /// Any data from the server counts as a response to a PING.
    private func keep(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        keepalive = context.eventLoop.scheduleRepeatedTask(
            initialDelay: settings.pingInterval, delay: settings.pingInterval
        ) { _ in
            let link = bound.value
            guard link.phase == .open else { return }
            if link.unanswered >= link.settings.pingsMissed {
                return link.close(because: "the server has not answered \(link.unanswered) PINGs")
            }
            link.unanswered += 1
            link.receive(link, .ping)
        }
    }
}

private struct ConnectCommand: Encodable {
    var verbose = false
    var pedantic = false
    var tls_required: Bool
    var headers = true
    var no_responders = true
    var echo = true
    // With 1, the server announces added and removed servers with a new INFO.
    var `protocol` = 1
    var lang = "swift"
    var version = "1.0.0"
    var name: String
    var user: String?
    var pass: String?
    var auth_token: String?
    var nkey: String?
    var jwt: String?
    var sig: String?

    init(info: ServerInfo, settings: NATSLink.Settings, tls: Bool) throws {
        tls_required = tls
        name = settings.name
        switch settings.authentication.kind {
        case .none: break
        case .user(let name, let password): (user, pass) = (name, password)
        case .token(let token): auth_token = token
        case .key(let key, let jwt):
            guard let nonce = info.nonce else { throw BrokerError.refused("the server does not support keys") }
            self.jwt = jwt
            nkey = jwt == nil ? key.publicKey : nil
            sig = try key.sign(nonce)
        }
    }

    func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
