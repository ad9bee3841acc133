import Foundation
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import RxStreams
import RxSwift
import Synchronization

/// A NATS client. It has one connection at a time, and opens another when that one is lost.
///
/// All senders append to one buffer, which the event loop writes as a whole. Everything that senders append during a
/// write is sent by the next write.
///
/// ```
/// sender ──► State.outgoing ──► flush, on the loop ──► NATSLink ──► server
/// waiter ◄── Answers ◄── State.waiting ◄── receive, on the loop ◄── NATSLink ◄── server
/// ```
///
/// Guards: `state` is protected by its lock. Nothing is called, resumed or released while the lock is held. Only
/// `run`'s task sends to `statusSubject`. Tasks wait in `Answers` or on `changed`; both are notified when the
/// connection is lost and when the client is closed.
final class NATSClient: Sendable {
    struct Options: Sendable {
        var addresses: [NATSAddress]
        var authentication = NATSAuthentication.none
        var tls: NIOSSLContext?
        var name = "rx-streams"
        var connectTimeout = TimeAmount.seconds(5)
        var requestTimeout = TimeAmount.seconds(5)
        var pingInterval = TimeAmount.seconds(10)
        var pingsMissed = 2
        var backOff = (first: TimeAmount.milliseconds(50), most: TimeAmount.seconds(5))
        /// The number of unsent bytes above which senders wait.
        var outgoingLimit = 4 << 20
        var heartbeat = TimeAmount.seconds(5)
        /// The resolver; nil for the system's.
        var resolver: (any Resolver & Sendable)?
    }

    struct State {
        var link: NATSLink?
        var candidate: NATSLink?
        var maxPayload = 1 << 20
        var why = "there has been no connection yet"
        var isClosed = false
        var outgoing = ByteBuffer()
        var spare = ByteBuffer()
        /// Whether a flush is scheduled or running on the loop.
        var isFlushing = false
        var subscriptions: [UInt64: NATSSubscription] = [:]
        /// The subscriptions that are ending. They are not restored on a new connection.
        var ending: Set<UInt64> = []
        var lastSid: UInt64 = NATSClient.inboxSid
        var waiting: [UInt64: Answers] = [:]
        /// If the server forbids this connection's inbox, all requests fail with this error.
        var refusal: BrokerError?
        /// The `Answers` of the requests whose bytes are in `outgoing`.
        var unsent: [Answers] = []
        /// The callers that wait for a PONG, in the order of their PINGs; nil for a PING of the link itself.
        var pongs: CircularBuffer<Answers?> = []
        var isTicking = false
        var pool: ServerPool
        var run: Task<Void, Never>?
        var publishRefused: (@Sendable (String, BrokerError) -> Void)?
    }

    /// The number of the subscription that receives all replies.
    static let inboxSid: UInt64 = 1

    let options: Options
    let loop: any EventLoop
    let logger: Logger
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    /// Signals the start and the end of a connection, room for senders, and closing.
    let changed = AsyncSignal()
    let inbox: String
    private let statusSubject = ReplaySubject<BrokerStatus>.create(bufferSize: 1)
    private let state: Mutex<State>
    private let tokens = Atomic<UInt64>(0)
    private let warnings = WarningLimit()

    init(_ options: Options, on loop: any EventLoop, logger: Logger) {
        self.options = options
        self.loop = loop
        self.logger = logger
        inbox = "_INBOX.\(Self.word())."
        state = Mutex(State(pool: ServerPool(options.addresses)))
    }

    var status: Observable<BrokerStatus> { statusSubject.asObservable() }

    static func word() -> String {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var random = SystemRandomNumberGenerator()
        return String((0..<22).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var maxPayload: Int { state.withLock { $0.maxPayload } }
}

// MARK: Sending

extension NATSClient {
    func untilReady(within span: TimeAmount? = nil) async throws {
        enum Look {
            case ready
            case waits(String)
            case closed
        }
        let deadline = NIODeadline.now() + (span ?? options.requestTimeout)
        while true {
            let seen = changed.count
            let look = state.withLock { state -> Look in
                if state.isClosed { return .closed }
                if state.link == nil { return .waits(state.why) }
                return state.outgoing.readableBytes < options.outgoingLimit
                    ? .ready : .waits("the server does not read what is sent")
            }
            switch look {
            case .ready: return
            case .closed: throw BrokerError.closed
            case .waits(let why):
                let left = deadline - .now()
                if left <= .zero { throw BrokerError.unavailable(why) }
                await changed.wait(after: seen, atMost: .nanoseconds(Int(left.nanoseconds)), on: scheduler)
                try Task.checkCancellation()
            }
        }
    }

    /// Sends messages without replies, in order.
    func send(_ messages: [OutgoingMessage]) async throws {
        try await untilReady()
        try say(messages)
    }

    /// Like `send`, but throws if there is no connection.
    func say(_ messages: [OutgoingMessage]) throws {
        let objection = speak { state in
            if let objection = Self.objection(to: messages, state.maxPayload) { return objection }
            for message in messages {
                state.outgoing.writePublish(
                    message.subject, reply: message.reply, fields: message.fields, payload: message.payload)
            }
            return nil
        }
        if let objection { throw objection }
    }

    /// Sends requests, in order, and waits for all replies. The first must come within `span` after the system has
    /// accepted the requests, and each further one within `span` after the previous one. So a large batch may take
    /// longer than `span`, but a server that stops replying is detected. Throws `BrokerError.unavailable(_:)` if a
    /// reply does not arrive in time.
    func request(_ messages: [OutgoingMessage], within span: TimeAmount? = nil) async throws -> [IncomingMessage] {
        if messages.isEmpty { return [] }
        try await untilReady(within: span)
        return try await answers(count: messages.count, to: messages.map(\.subject), within: span) { [self] answers in
            speak { state in
                if let refusal = state.refusal { return refusal }
                if let objection = Self.objection(to: messages, state.maxPayload) { return objection }
                for (message, token) in zip(messages, answers.first...) {
                    state.outgoing.writePublish(
                        message.subject, reply: inbox, token: token, fields: message.fields, payload: message.payload)
                    state.waiting[token] = answers
                }
                state.unsent.append(answers)
                return nil
            }
        }
    }

    /// Waits until the server has read everything that was sent before this call. When the call returns, the client has
    /// also received everything that the server sent before its PONG.
    func roundTrip(within span: TimeAmount = .seconds(2)) async throws {
        _ = try await answers(count: 1, within: span) { [self] answers in
            answers.begin()
            return speak { state in
                state.outgoing.writePing()
                state.pongs.append(answers)
                return nil
            }
        }
    }

    private func answers(
        count: Int, to subjects: [String] = [], within span: TimeAmount?, begin: (Answers) -> BrokerError?
    ) async throws -> [IncomingMessage] {
        let first = tokens.add(UInt64(count), ordering: .relaxed).newValue - UInt64(count) + 1
        let answers = Answers(first: first, count: count, to: subjects, span: span ?? options.requestTimeout)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answers.wait(continuation)
                if let error = begin(answers) { answers.fail(error) } else { tickSoon() }
                if answers.isOver { forget(answers) }
            }
        } onCancel: {
            answers.fail(CancellationError())
            forget(answers)
        }
    }

    private func forget(_ answers: Answers) {
        // `gone` retains the removed values until the lock is released.
        let gone = state.withLock { state in
            (0..<UInt64(answers.count)).map { state.waiting.removeValue(forKey: answers.first + $0) }
        }
        withExtendedLifetime(gone) {}
    }

    private static func objection(to messages: [OutgoingMessage], _ maxPayload: Int) -> BrokerError? {
        for message in messages where message.size > maxPayload {
            return .refused("a message of \(message.size) bytes exceeds the server's limit of \(maxPayload)")
        }
        return nil
    }

    /// Returns the reason if nothing can be sent. `write` only changes the state and calls no other code.
    private func speak(_ write: (inout State) -> BrokerError?) -> BrokerError? {
        let (objection, wakes) = state.withLock { state -> (BrokerError?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.link == nil { return (.unavailable(state.why), false) }
            if let objection = write(&state) { return (objection, false) }
            defer { state.isFlushing = true }
            return (nil, !state.isFlushing)
        }
        if wakes { loop.execute { self.flush() } }
        return objection
    }

    private func flush() {
        let next = state.withLock { state -> (NATSLink, ByteBuffer, [Answers])? in
            guard let link = state.link, state.outgoing.readableBytes > 0 else {
                state.isFlushing = false
                return nil
            }
            let bytes = state.outgoing
            state.outgoing = state.spare
            state.spare = ByteBuffer()
            defer { state.unsent = [] }
            return (link, bytes, state.unsent)
        }
        guard let (link, bytes, sent) = next else { return }
        guard let written = link.write(bytes) else { return }
        written.whenComplete { [self] result in
            guard case .success = result else { return }
            for answers in sent { answers.begin() }
            if bytes.capacity <= 1 << 20 {
                var spare = bytes
                spare.clear()
                state.withLock { $0.spare = spare }
            }
            changed.send()
            // A direct call of `flush` could nest without limit, because a write may complete at once.
            loop.execute { self.flush() }
        }
    }

    /// While there are requests, checks every 100 ms for overdue ones.
    private func tickSoon() {
        let starts = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if starts { loop.scheduleTask(in: .milliseconds(100)) { self.tick() } }
    }

    private func tick() {
        let now = NIODeadline.now()
        let (late, goesOn) = state.withLock { state -> ([Answers], Bool) in
            var late: [UInt64: Answers] = [:]
            for answers in state.waiting.values where answers.isLate(at: now) { late[answers.first] = answers }
            for case let answers? in state.pongs where answers.isLate(at: now) { late[answers.first] = answers }
            for answers in late.values {
                for index in 0..<UInt64(answers.count) { state.waiting[answers.first + index] = nil }
            }
            state.isTicking = !state.waiting.isEmpty || state.pongs.contains { $0 != nil }
            return (Array(late.values), state.isTicking)
        }
        for answers in late { answers.fail(BrokerError.unavailable("the server did not answer in time")) }
        if goesOn { loop.scheduleTask(in: .milliseconds(100)) { self.tick() } }
    }
}

// MARK: Receiving

extension NATSClient {
    /// Subscribes to a `subject` that has been checked. If `isLasting`, the client subscribes again on each new
    /// connection. Otherwise a connection must exist now. `deliver` is called on the loop.
    func subscribe(
        to subject: String, isLasting: Bool, asks: String? = nil, end: (@Sendable (BrokerError) -> Void)? = nil,
        deliver: @escaping @Sendable (IncomingMessage) -> Void
    ) throws -> NATSSubscription {
        let (outcome, wakes) = state.withLock { state -> (Result<NATSSubscription, BrokerError>, Bool) in
            if state.isClosed { return (.failure(.closed), false) }
            if !isLasting && state.link == nil { return (.failure(.unavailable(state.why)), false) }
            state.lastSid += 1
            let subscription = NATSSubscription(
                sid: state.lastSid, subject: subject, isLasting: isLasting, asks: asks, deliver: deliver, end: end)
            state.subscriptions[subscription.sid] = subscription
            if state.link == nil { return (.success(subscription), false) }
            state.outgoing.writeSubscribe(subject, sid: subscription.sid)
            defer { state.isFlushing = true }
            return (.success(subscription), !state.isFlushing)
        }
        if wakes { loop.execute { self.flush() } }
        return try outcome.get()
    }

    /// Ends a subscription. Messages in transit are lost.
    func unsubscribe(_ subscription: NATSSubscription) {
        unsay(subscription)
        remove(subscription)
    }

    func drain(_ subscription: NATSSubscription) async {
        await drain(subscription) { try await roundTrip() }
    }

    /// Ends a subscription. Messages in transit are delivered until `hasCome` returns.
    func drain(_ subscription: NATSSubscription, until hasCome: () async throws -> Void) async {
        unsay(subscription)
        try? await hasCome()
        remove(subscription)
    }

    private func unsay(_ subscription: NATSSubscription) {
        state.withLock { _ = $0.ending.insert(subscription.sid) }
        _ = speak { state in
            // If the connection has been lost, the server does not have the subscription.
            if state.subscriptions[subscription.sid] != nil { state.outgoing.writeUnsubscribe(sid: subscription.sid) }
            return nil
        }
    }

    private func remove(_ subscription: NATSSubscription) {
        let gone = state.withLock { state in
            state.ending.remove(subscription.sid)
            return state.subscriptions.removeValue(forKey: subscription.sid)
        }
        withExtendedLifetime(gone) {}
    }

    private func receive(_ link: NATSLink, _ frame: ServerFrame) {
        switch frame {
        case .message(let message) where message.sid == Self.inboxSid:
            // A reply's subject consists of `inbox` and the token.
            guard let token = UInt64(Substring(message.subject.utf8.dropFirst(inbox.utf8.count))) else { return }
            state.withLock { $0.waiting.removeValue(forKey: token) }?.take(message, for: token)
        case .message(let message):
            state.withLock { $0.subscriptions[message.sid] }?.deliver(message)
        case .pong:
            let waiting = state.withLock { $0.pongs.isEmpty ? nil : $0.pongs.removeFirst() }
            waiting?.take(
                IncomingMessage(sid: 0, subject: "", reply: nil, headers: nil, payload: []), for: waiting!.first)
        case .ping:
            _ = speak { state in
                state.outgoing.writePing()
                state.pongs.append(nil)
                return nil
            }
        case .info(let info):
            learn(info, from: link.settings.address)
        case .error(let text):
            warn(text)
            refuse(text)
        case .ok: break
        }
    }

    /// Logs a warning, at most ten times a minute for errors that differ only in the quoted part.
    private func warn(_ text: String) {
        guard let omitted = warnings.admit(String(text.prefix { $0 != "\"" })) else { return }
        logger.warning(
            "the server says: \(text.prefix(200))", metadata: omitted > 0 ? ["omitted": "\(omitted)"] : nil)
    }

    /// `action` is called on the loop with a subject to which the server forbids publishing.
    func whenPublishRefused(_ action: @escaping @Sendable (String, BrokerError) -> Void) {
        state.withLock { $0.publishRefused = action }
    }

    /// Ends the requests and subscriptions that the server forbids, after an error such as `Permissions Violation for
    /// Publish to "orders.new"`.
    private func refuse(_ text: String) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        let what = parts[0].lowercased()
        let isSubscription = what.hasPrefix("permissions violation for subscription to")
        guard isSubscription || what.hasPrefix("permissions violation for publish to"), parts.count > 2 else { return }
        let (subject, error) = (String(parts[1]), BrokerError.refused("the server says: \(text.prefix(200))"))
        typealias Refused = @Sendable (String, BrokerError) -> Void
        let (answers, ended, refused) = state.withLock { state -> ([Answers], [NATSSubscription], Refused?) in
            let isInbox = isSubscription && subject == inbox + "*"
            if isInbox { state.refusal = error }
            let asked = Dictionary(state.waiting.values.map { ($0.first, $0) }) { one, _ in one }.values
            let answers = asked.filter {
                isInbox || !isSubscription && $0.subjects.contains { $0.hasBytes(of: subject) }
            }
            let ended = state.subscriptions.values.filter {
                (isSubscription ? $0.subject : $0.asks)?.hasBytes(of: subject) ?? false
            }
            // The server did not create the forbidden subscriptions.
            if isSubscription { for subscription in ended { state.subscriptions[subscription.sid] = nil } }
            return (answers, ended, isSubscription ? nil : state.publishRefused)
        }
        for answers in answers {
            answers.fail(error)
            forget(answers)
        }
        for subscription in ended { subscription.end?(error) }
        refused?(subject, error)
    }

    private func learn(_ info: ServerInfo, from address: NATSAddress) {
        state.withLock { state in
            state.maxPayload = info.maxPayload
            state.pool.learn(info.others, like: address)
        }
    }
}

// MARK: The connection

extension NATSClient {
    func start() {
        let task = Task { await run() }
        state.withLock { $0.run = task }
    }

    /// Closes the client without waiting for work in progress.
    @discardableResult
    func shutDown() -> Task<Void, Never>? {
        let (links, waiting, subscriptions, run) = state.withLock { state in
            state.isClosed = true
            state.why = "the broker has been closed"
            let links = [state.link, state.candidate].compactMap { $0 }
            (state.link, state.candidate) = (nil, nil)
            let waiting = Array(state.waiting.values) + state.pongs.compactMap { $0 } + state.unsent
            (state.waiting, state.pongs, state.unsent) = ([:], [], [])
            let subscriptions = Array(state.subscriptions.values)
            state.subscriptions = [:]
            return (links, waiting, subscriptions, state.run)
        }
        for answers in waiting { answers.fail(BrokerError.closed) }
        for subscription in subscriptions { subscription.end?(.closed) }
        if !links.isEmpty {
            loop.execute {
                for link in links { link.close(because: "the broker has been closed") }
            }
        }
        run?.cancel()
        changed.send()
        return run
    }

    func close() async {
        await shutDown()?.value
    }

    private func run() async {
        var (attempt, failures) = (1, 0)
        var why: String?
        while !isClosed {
            statusSubject.onNext(.connecting(attempt: attempt, why: why))
            let address = state.withLock { $0.pool.next() }
            do {
                let (link, info) = try await connect(to: address)
                let begin = NIODeadline.now()
                if connected(link, info, address) {
                    logger.info(
                        "connected", metadata: ["server": "\(info.title)", "address": "\(address.description)"])
                    statusSubject.onNext(.connected(server: info.title))
                }
                why = (try? await link.over.futureResult.get()) ?? "the connection was closed"
                lost(why ?? "")
                // A connection that the server closes within a second also counts as a failure.
                if NIODeadline.now() - begin > .seconds(1) { failures = 0 }
                attempt = 1
            } catch {
                let text = (error as? BrokerError).map(Self.words) ?? NATSLink.words(error)
                why = "\(address.description): \(text)"
                let now = why ?? ""
                state.withLock { if !$0.isClosed { $0.why = now } }
                attempt += 1
            }
            if isClosed { break }
            logger.warning("no connection", metadata: ["why": "\(why ?? "")"])
            await pause(after: failures)
            failures += 1
        }
        statusSubject.onNext(.closed)
        statusSubject.onCompleted()
    }

    private static func words(_ error: BrokerError) -> String {
        switch error {
        case .unavailable(let why), .refused(let why): why
        default: "\(error)"
        }
    }

    /// Waits for a random time between half of a limit and the limit. The limit starts at `backOff.first`, and doubles
    /// whenever all servers have been tried, up to `backOff.most`.
    private func pause(after failures: Int) async {
        let rounds = failures / max(1, state.withLock { $0.pool.count })
        let most = min(options.backOff.most.nanoseconds, options.backOff.first.nanoseconds << min(rounds, 20))
        try? await Task.sleep(nanoseconds: UInt64(Int64.random(in: most / 2...max(most / 2, most))))
    }

    private func connect(to address: NATSAddress) async throws -> (NATSLink, ServerInfo) {
        let link = NATSLink(
            NATSLink.Settings(
                address: address, authentication: address.authentication(options.authentication), tls: options.tls,
                name: options.name, pingInterval: options.pingInterval, pingsMissed: options.pingsMissed), on: loop
        ) { [weak self] link, frame in self?.receive(link, frame) }
        let isWanted = state.withLock { state in
            if !state.isClosed { state.candidate = link }
            return !state.isClosed
        }
        let timeout = options.connectTimeout
        if isWanted {
            let late = loop.scheduleTask(in: timeout) {
                link.close(because: "no answer within \(Double(timeout.nanoseconds) / 1e9) s")
            }
            link.ready.futureResult.whenComplete { _ in late.cancel() }
            // Each address of a host name is tried on its own channel. The channel that connects gets the link before
            // it reads, so the link misses no bytes.
            loop.execute { [self] in
                ClientBootstrap(group: loop)
                    .connectTimeout(timeout)
                    .resolver(options.resolver)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelOption(
                        .recvAllocator,
                        value: AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 16_384, maximum: 1 << 18)
                    )
                    .connect(host: address.host, port: address.port)
                    .flatMapThrowing { try $0.pipeline.syncOperations.addHandler(link) }
                    .whenFailure { link.close(because: Self.words($0)) }
            }
        } else {
            loop.execute { link.close(because: "the broker has been closed") }
        }
        return (link, try await link.ready.futureResult.get())
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? NIOConnectionError else { return NATSLink.words(error) }
        if let first = error.connectionErrors.first?.error { return "\(first)" }
        return "\(error.dnsAError ?? error.dnsAAAAError ?? error)"
    }

    /// Subscribes again on a new connection. Returns false if the client has been closed.
    private func connected(_ link: NATSLink, _ info: ServerInfo, _ address: NATSAddress) -> Bool {
        learn(info, from: address)
        let isWanted = state.withLock { state in
            (state.candidate, state.refusal) = (nil, nil)
            if state.isClosed { return false }
            state.link = link
            state.outgoing.clear()
            state.outgoing.writeSubscribe(inbox + "*", sid: Self.inboxSid)
            for subscription in state.subscriptions.values.sorted(by: { $0.sid < $1.sid })
            where !state.ending.contains(subscription.sid) {
                state.outgoing.writeSubscribe(subscription.subject, sid: subscription.sid)
            }
            state.isFlushing = true
            return true
        }
        loop.execute { isWanted ? self.flush() : link.close(because: "the broker has been closed") }
        changed.send()
        return isWanted
    }

    private func lost(_ why: String) {
        let (waiting, gone) = state.withLock { state in
            state.link = nil
            if !state.isClosed { state.why = why }
            state.outgoing.clear()
            state.isFlushing = false
            let waiting = Array(state.waiting.values) + state.pongs.compactMap { $0 } + state.unsent
            (state.waiting, state.pongs, state.unsent) = ([:], [], [])
            let gone = state.subscriptions.values.filter { !$0.isLasting }
            for subscription in gone { state.subscriptions[subscription.sid] = nil }
            return (waiting, gone)
        }
        for answers in waiting { answers.fail(BrokerError.unavailable(why)) }
        for subscription in gone { subscription.end?(.unavailable("the connection was lost")) }
        changed.send()
    }
}
