import Foundation
import NIOCore
import NIOSSL
import RxStreams

/// One connection to one server, from its INFO until it is closed.
///
/// ```
/// waiting for INFO ──► waiting for PONG, behind CONNECT and PING ──► open ──► over
/// ```
///
/// Guards: everything is the loop's. `ready` and `over` are resolved once: when the link is over at the latest.
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

    /// What the server is, once it has taken us in.
    let ready: EventLoopPromise<ServerInfo>
    /// Why there is no connection any more.
    let over: EventLoopPromise<String>

    let settings: Settings
    private let receive: @Sendable (NATSLink, ServerFrame) -> Void
    private var phase = Phase.waitingForInfo
    private var parser = NATSParser()
    private var info = ServerInfo()
    private var context: ChannelHandlerContext?
    private var why: String?
    /// Why the server may be about to close.
    private var lastError: String?
    private var unanswered = 0
    /// How many of the server's PINGs have not been answered.
    private var owedPongs = 0
    /// The system has not taken the last answers yet, or has just taken them.
    private var isAnswering = false
    private var keepalive: RepeatedTask?

    /// Makes a link that is to be put into a channel's pipeline.
    ///
    /// - Parameters:
    ///   - settings: how it connects.
    ///   - loop: the channel's.
    ///   - receive: takes what the server says once it is ready, on the loop. PONGs come to it as well, but for those
    ///     that answer the link's own PINGs.
    init(_ settings: Settings, on loop: any EventLoop, receive: @escaping @Sendable (NATSLink, ServerFrame) -> Void) {
        self.settings = settings
        self.receive = receive
        ready = loop.makePromise()
        over = loop.makePromise()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // A channel that comes when nobody wants it any longer, as one whose host was being looked for.
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

    /// Closes the connection.
    func close(because why: String) {
        if phase == .over { return }
        self.why = self.why ?? why
        let context = self.context
        end(why)
        context?.close(promise: nil)
    }

    /// Sends bytes, and tells when the system has taken them.
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
                close(because: "the server sent messages before it was asked")
            }
        }
    }

    /// Some errors leave the connection as it is; the others end it, and the server closes.
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

    /// The server's INFO is here: says who we are, behind TLS where it is wanted.
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

    /// The description of an error without the source locations that errors of TLS contain: their paths are those of
    /// the machine on which the library was built.
    static func words(_ error: any Error) -> String {
        "\(error)".replacing(#/ at [^\n:]*\.(?:cc|c|h|inc|swift):[0-9]+/#, with: "")
    }

    private func secure(_ context: ChannelHandlerContext) throws {
        guard info.requiresTLS || info.offersTLS else { throw BrokerError.refused("the server does without TLS") }
        // What came in the clear behind INFO may be anybody's.
        guard parser.isEmpty else {
            throw BrokerError.refused("the server went on in the clear where TLS was to begin")
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

    /// Answers the server's PINGs.
    ///
    /// One write of answers is under way at a time. Until the system has taken it, further PINGs are only counted: a
    /// server that sends PINGs and reads no answers costs no memory.
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
            // Not from within: a system that takes all at once would make the stack deeper with each write.
            loop.execute {
                let (link, context) = bound.value
                link.isAnswering = false
                link.answer(context)
            }
        }
        context.writeAndFlush(NIOAny(bytes), promise: promise)
    }

    /// Asks now and then whether the server is still there. Whatever it says is an answer.
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

/// What a client says of itself.
private struct ConnectCommand: Encodable {
    var verbose = false
    var pedantic = false
    var tls_required: Bool
    var headers = true
    var no_responders = true
    var echo = true
    // `protocol` 1: servers that come and go are told by a new INFO.
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
            guard let nonce = info.nonce else { throw BrokerError.refused("the server does without keys") }
            self.jwt = jwt
            nkey = jwt == nil ? key.publicKey : nil
            sig = try key.sign(nonce)
        }
    }

    func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
