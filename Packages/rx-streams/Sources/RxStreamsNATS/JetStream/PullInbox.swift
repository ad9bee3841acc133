import Foundation
import NIOCore
import RxStreams
import RxSwift
import Synchronization

/// Where the messages arrive that are pulled from one consumer.
///
/// What is asked for and has not come, and what has come and has not been taken, are together never more than what the
/// last pull wanted. What was asked for is forgotten, and asked for anew under another address, when two heartbeats are
/// missed, when the server says that it is lost, and with the connection; what still comes to the old address is handed
/// back.
///
/// Guards: `state` is under its lock. `receive` is called on the client's loop.
final class PullInbox: Sendable {
    struct Arrival: Sendable {
        var message: IncomingMessage
        var time: NIODeadline
    }

    /// An address that is to be ended.
    private struct Gone {
        let subscription: NATSSubscription
        /// Nothing is asked for anew, and so the server is to forget first what was asked for there.
        let isLast: Bool
    }

    private struct State {
        var here = CircularBuffer<Arrival>()
        var subscription: NATSSubscription?
        /// Which address it is.
        var generation: UInt64 = 0
        var lastRequest: UInt64 = 0
        /// All requests up to this one are over. Of the others it is known what they bring together, and not which of
        /// them live: a message does not say for which of them it is, and the server serves them in turns.
        var lastOver: UInt64 = 0
        /// How many messages the others are to bring.
        var outstanding = 0
        /// How many messages the last request was for.
        var lastCount = 0
        /// The last request waits for nothing.
        var looks = false
        /// The next message is larger than a request brings: the next request is for that one alone.
        var isLarge = false
        /// The server has ended a request because the next message is too large for the rest of it.
        var isCut = false
        var heartbeat: TimeAmount?
        /// When what was asked for is forgotten, unless something comes.
        var silentUntil = NIODeadline.now()
        /// When the server is asked whether the consumer exists; nil after a sign of life, and once it has been asked.
        var looksAfterAt: NIODeadline?
        /// How often that has been in a row.
        var silences = 0
        /// The server says that nobody answers there.
        var isDoubtful = false
        var failure: BrokerError?
        /// Why no pull succeeds any more.
        var refusal: BrokerError?
        /// How many addresses are being ended.
        var endings = 0
        /// The reply subjects of the messages to hand back once none is.
        var strays: [String] = []
        var isOver = false
        /// It is over because the driver is closing.
        var isClosing = false

        /// A request that waits for nothing lives; nothing else is asked for meanwhile.
        var isLooking: Bool { looks && outstanding > 0 }

        /// So many less are on their way; where none is, no request lives.
        mutating func expectLess(_ count: Int) {
            outstanding = max(0, outstanding - count)
            if outstanding == 0 { lastOver = lastRequest }
        }

        /// Drops what has waited for as long as a deadline: it may be with somebody else.
        mutating func dropOverdue(_ deadline: TimeAmount, at now: NIODeadline) {
            while let first = here.first, first.time + deadline <= now { here.removeFirst() }
        }
    }

    private enum Next {
        case messages([IncomingMessage], more: Int)
        case ask(looks: Bool)
        case wait(until: NIODeadline)
        /// Waits for what the server may have sent already.
        case look
        case silent(Gone?, again: Bool)
        /// The first request that lives has not been answered at all.
        case unanswered
        case doubtful(Gone?)
        case nothing
        case failed(BrokerError)
        case over(isClosing: Bool)
    }

    private let client: NATSClient
    private let stream: String
    private let consumer: String
    /// What is not taken within that is dropped, because it comes again; nil for who settles nothing.
    private let deadline: TimeAmount?
    private let bell = Bell()
    private let state = Mutex(State())

    /// A server sends what it is asked for as fast as it reads it, and closes the connection where that is more than it
    /// holds for one: 64 MiB, unless it is told otherwise. All pulls of a client share the connection.
    ///
    /// A prime, so that messages of one size are not together as large as that: servers end such a request silently.
    static let most = (4 << 20) - 3
    /// If a request has had no sign of life for this long, the server is asked whether the consumer exists. A server of
    /// 2.9 does not answer a request to a consumer that it has just removed. No server answers a request that waited in
    /// the consumer's queue when the consumer was removed.
    private static let answersWithin = TimeAmount.seconds(1)
    /// Shorter waits than this are none.
    static let shortest = TimeAmount.milliseconds(50)
    /// How long more is waited for. What waits for a group may be held back for others, or by its bound.
    private static let gathering = (group: TimeAmount.milliseconds(2), reader: TimeAmount.milliseconds(100))

    init(_ client: NATSClient, stream: String, consumer: String, deadline: TimeAmount?) {
        self.client = client
        self.stream = stream
        self.consumer = consumer
        self.deadline = deadline
    }

    deinit {
        if let subscription = state.withLock({ $0.subscription.take() }) { client.unsubscribe(subscription) }
    }

    /// Where messages are asked for.
    private var pulls: String { "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)" }

    /// A request lives that waits for what comes: nobody says whether something is on its way.
    var isWaiting: Bool { state.withLock { $0.outstanding > 0 && !$0.looks } }

    /// Takes what is here, or waits for it.
    ///
    /// - Throws: `BrokerError.missing(_:)` where the consumer is gone. Who settles nothing gets
    ///   `BrokerError.unavailable(_:)` where something may have been lost: he begins anew where he was. Who waits, and
    ///   had left before, is refused: he would be back at once.
    func pull(upTo count: Int, within span: TimeAmount) async throws -> [IncomingMessage] {
        let begun = NIODeadline.now()
        let looks = span < Self.shortest
        let hadLeft = state.withLock { $0.isOver }
        var hasAsked = false
        while true {
            try Task.checkCancellation()
            let seen = bell.rings
            switch next(count, until: begun + span, looks, hasAsked) {
            case .messages(let messages, let more):
                if more > 0 { try? await ask(upTo: more, keeping: true, within: span, looks: false) }
                return messages
            case .ask(let looks):
                let left = max(begun + span - .now(), Self.shortest)
                hasAsked = true
                do {
                    try await ask(upTo: count, within: left, looks: looks)
                } catch BrokerError.unavailable
                    where NIODeadline.now() < begun + min(span, client.options.requestTimeout)
                {
                    try await client.untilReady(within: min(left, client.options.requestTimeout))
                }
            case .wait(let until):
                let left = until - .now()
                await bell.wait(after: seen, atMost: .nanoseconds(Int(max(0, left.nanoseconds))), on: client.scheduler)
            case .silent(let old, let again):
                retire(old)
                if again || deadline == nil { try await lookAfterConsumer() }
                if deadline == nil { throw BrokerError.unavailable("the server was silent") }
            case .unanswered: Task { await lookWhetherGone() }
            case .doubtful(let old):
                retire(old)
                try await lookAfterConsumer()
                throw BrokerError.unavailable("nobody answers for \(consumer) of stream \(stream)")
            case .look:
                hasAsked = true
                try await client.roundTrip()
            case .nothing: return []
            case .over(let isClosing):
                if isClosing || client.isClosed { throw BrokerError.closed }
                if hadLeft && !looks { throw BrokerError.refused("a member that has left pulls nothing") }
                return []
            case .failed(let error): throw error
            }
        }
    }

    private func next(_ count: Int, until end: NIODeadline, _ looks: Bool, _ hasAsked: Bool) -> Next {
        let now = NIODeadline.now()
        return state.withLock { state in
            if let refusal = state.refusal { return .failed(refusal) }
            if let deadline { state.dropOverdue(deadline, at: now) }
            if let first = state.here.first, let wait = gathers(state, count, first.time, now) {
                return .wait(until: wait)
            }
            if !state.here.isEmpty {
                let taken = (0..<min(count, state.here.count)).map { _ in state.here.removeFirst().message }
                let free = count - taken.count - state.here.count - state.outstanding
                let asks = free > 0 && free >= count / 4 && !looks && !state.isLooking && !state.isOver
                return .messages(taken, more: asks && state.failure == nil ? free : 0)
            }
            // Behind what is here: what was lost came later.
            if let failure = state.failure {
                state.failure = nil
                return .failed(failure)
            }
            if state.isOver { return .over(isClosing: state.isClosing) }
            if state.isDoubtful {
                state.isDoubtful = false
                return .doubtful(Self.forget(&state))
            }
            if state.outstanding > 0, let time = state.looksAfterAt, now >= time {
                state.looksAfterAt = nil
                return .unanswered
            }
            if state.outstanding > 0, now >= state.silentUntil {
                state.silences += 1
                return .silent(Self.forget(&state), again: state.silences > 1)
            }
            return looks ? nextLook(state, hasAsked) : nextWait(state, count, now, end)
        }
    }

    /// Until when more of what is on its way is waited for: the messages of one pull come one by one.
    private func gathers(_ state: borrowing State, _ count: Int, _ first: NIODeadline, _ now: NIODeadline)
        -> NIODeadline?
    {
        let until = first + (deadline == nil ? Self.gathering.reader : Self.gathering.group)
        guard now < until, state.here.count < count, state.outstanding > 0, !state.isOver else { return nil }
        let last = state.here.last?.message.reply.flatMap { DeliveryTrace($0) }
        return (last?.left ?? 0) > 0 ? until : nil
    }

    /// What is next for whoever waits for nothing: he waits for the server to say that there is nothing.
    private func nextLook(_ state: borrowing State, _ hasAsked: Bool) -> Next {
        if !hasAsked { return state.outstanding == 0 ? .ask(looks: true) : .look }
        if state.isCut && state.outstanding == 0 { return .ask(looks: true) }
        return state.isLooking ? .wait(until: state.silentUntil) : .nothing
    }

    /// What is next for whoever waits.
    private func nextWait(_ state: borrowing State, _ count: Int, _ now: NIODeadline, _ end: NIODeadline) -> Next {
        if now >= end { return .nothing }
        let free = count - state.outstanding
        let asks = !state.isLarge && free >= max(1, count / 4)
        if !state.isLooking, state.outstanding == 0 || asks { return .ask(looks: false) }
        guard state.outstanding > 0 else { return .wait(until: end) }
        return .wait(until: min(end, state.silentUntil, state.looksAfterAt ?? end))
    }

    /// Asks for messages.
    ///
    /// - Parameters:
    ///   - limit: so many may be on their way and here.
    ///   - keeping: that many more than there are now, and at once or not at all, for somebody has messages that wait
    ///     to be returned; otherwise with those that are on their way.
    private func ask(upTo limit: Int, keeping: Bool = false, within span: TimeAmount, looks: Bool) async throws {
        if !keeping { try await client.untilReady() }
        let generation = try address()
        let expires = max(span, Self.shortest)
        let heartbeat = min(client.options.heartbeat, .nanoseconds(expires.nanoseconds / 2))
        let beats = !looks && heartbeat >= .milliseconds(100)
        let now = NIODeadline.now()
        // What it takes now is no measure of what others were allowed to keep.
        let maxPayload = max(1 << 20, client.maxPayload)
        let request = state.withLock { state -> (NATSSubscription, UInt64, Int, Int?)? in
            var count = keeping ? limit : limit - state.outstanding - state.here.count
            if state.isLarge { count = min(1, count) }
            guard let subscription = state.subscription, state.generation == generation, !state.isOver, count > 0
            else { return nil }
            let silence =
                beats
                ? heartbeat * 2 + .nanoseconds(heartbeat.nanoseconds / 2)
                : (looks ? client.options.requestTimeout : expires + .seconds(1))
            if state.outstanding == 0 { state.looksAfterAt = looks ? nil : now + Self.answersWithin }
            // What is over is waited for no longer.
            state.silentUntil = state.outstanding > 0 ? max(state.silentUntil, now + silence) : now + silence
            state.lastRequest += 1
            state.lastCount = count
            state.outstanding += count
            state.looks = looks
            state.isCut = false
            state.heartbeat = beats ? heartbeat : nil
            // Who asks for few need not say it, and is not told that all have come.
            let isSmall = state.isLarge || count <= Self.most / maxPayload
            return (subscription, state.lastRequest, count, isSmall ? nil : Self.most)
        }
        guard let (subscription, number, count, most) = request else { return }
        let wait = looks ? "\"no_wait\":true" : "\"expires\":\(expires.nanoseconds)"
        let beat = beats ? ",\"idle_heartbeat\":\(heartbeat.nanoseconds)" : ""
        let bytes = most.map { ",\"max_bytes\":\($0)" } ?? ""
        let body = "{\"batch\":\(count),\(wait)\(beat)\(bytes)}"
        do {
            try client.say([
                OutgoingMessage(
                    subject: pulls, reply: subscription.subject.dropLast() + String(number), payload: Array(body.utf8))
            ])
        } catch {
            retire(state.withLock { $0.generation == generation ? Self.forget(&$0) : nil })
            throw error
        }
    }

    /// The address at which messages arrive, made where there is none.
    private func address() throws -> UInt64 {
        let (generation, isThere) = state.withLock { state in
            if state.subscription == nil { state.generation += 1 }
            return (state.generation, state.subscription != nil)
        }
        if isThere { return generation }
        let subscription = try client.subscribe(
            to: "_INBOX.\(NATSClient.word()).*", isLasting: false, asks: pulls
        ) { [weak self] error in
            self?.isLost(generation, error)
        } deliver: { [weak self] message in
            self?.receive(message, generation)
        }
        let isWanted = state.withLock { state in
            guard state.generation == generation, !state.isOver, state.subscription == nil else { return false }
            state.subscription = subscription
            return true
        }
        if !isWanted { client.unsubscribe(subscription) }
        return generation
    }

    /// Forgets what was asked for; returns where it would arrive, which is to be ended.
    private static func forget(_ state: inout State) -> Gone? {
        let isLast = state.isOver && state.outstanding > 0
        state.generation += 1
        state.expectLess(state.outstanding)
        guard let subscription = state.subscription.take() else { return nil }
        state.endings += 1
        return Gone(subscription: subscription, isLast: isLast)
    }

    /// Ends an address; what was on its way to it is handed back then.
    private func retire(_ gone: Gone?) {
        guard let gone else { return }
        Task {
            if deadline != nil && gone.isLast {
                await client.drain(gone.subscription) { try await untilForgotten() }
            } else {
                await client.drain(gone.subscription)
            }
            hasEnded()
        }
    }

    /// An empty wait for one message.
    static let probe = Array("{\"batch\":1,\"expires\":1000000}".utf8)

    /// Waits until the server has let go what was asked for at addresses that have been ended, and until what it had
    /// sent there has come.
    ///
    /// A server of 2.9 that has a message to deliver again, and finds no other request for it, keeps it until its
    /// deadline has passed once more, and sends the last message twice. It lets such requests go when another one comes
    /// and there is nothing to deliver: so one is made, which waits for a moment, and its end is the answer.
    private func untilForgotten() async throws {
        let answered = Bell()
        let seen = answered.rings
        // At an address of its own: a message that comes instead has its stream's subject, by which nobody finds the
        // request that it answers.
        let address = try client.subscribe(
            to: "_INBOX.\(NATSClient.word()).probe", isLasting: false, asks: pulls
        ) { _ in
            answered.ring()
        } deliver: { message in
            if message.isDelivered, let reply = message.reply { self.state.withLock { $0.strays.append(reply) } }
            answered.ring()
        }
        defer { client.unsubscribe(address) }
        try client.say([OutgoingMessage(subject: pulls, reply: address.subject, payload: Self.probe)])
        await answered.wait(after: seen, atMost: .seconds(2), on: client.scheduler)
    }

    /// An address has been ended.
    private func hasEnded() {
        let strays = state.withLock { state in
            state.endings -= 1
            return Self.takeStrays(&state)
        }
        handBack(strays)
        bell.ring()
    }

    /// What is to be handed back now: nothing, while an address is being ended.
    private static func takeStrays(_ state: inout State) -> [String] {
        if state.endings > 0 { return [] }
        defer { state.strays = [] }
        return state.strays
    }

    private func isLost(_ generation: UInt64, _ error: BrokerError) {
        let isRefused = if case .refused = error { true } else { false }
        let gone = state.withLock { state -> Gone? in
            guard state.generation == generation else { return nil }
            if deadline == nil || isRefused, !state.isOver { state.failure = error }
            return Self.forget(&state)
        }
        // Before anybody is woken.
        if client.isClosed { state.withLock { $0.isOver = true } }
        // With its connection the address has gone, too.
        if isRefused { retire(gone) } else if gone != nil { hasEnded() }
        bell.ring()
    }

    /// Fails all pulls from now on.
    func refuse(_ error: BrokerError) {
        state.withLock { $0.refusal = $0.refusal ?? error }
        bell.ring()
    }

    /// Asks whether the consumer is still there, of which nothing has been heard.
    private func lookAfterConsumer() async throws {
        let messages = try await client.request([
            OutgoingMessage(subject: "$JS.API.CONSUMER.INFO.\(stream).\(consumer)")
        ])
        try JetStream.check(messages[0], missing: "group \(consumer) of stream \(stream)")
        state.withLock { $0.silences = 0 }
    }

    /// Fails the pull if the consumer is gone. After any other answer, or none, the pull continues to wait.
    private func lookWhetherGone() async {
        do {
            try await lookAfterConsumer()
        } catch BrokerError.missing(let what) {
            state.withLock { if !$0.isOver { $0.failure = .missing(what) } }
            bell.ring()
        } catch {}
    }

    /// Leaves: hands back what is here and not overdue, and what is still on its way.
    ///
    /// - Parameter isClosing: the driver is closing, which is told to who pulls.
    func leave(isClosing: Bool = false) async {
        let now = NIODeadline.now()
        let (gone, strays) = state.withLock { state in
            state.isOver = true
            if isClosing { state.isClosing = true }
            if let deadline {
                state.dropOverdue(deadline, at: now)
                state.strays += state.here.compactMap(\.message.reply)
            }
            state.here = []
            let gone = Self.forget(&state)
            return (gone, Self.takeStrays(&state))
        }
        bell.ring()
        handBack(strays)
        retire(gone)
        // Also where this task is cancelled.
        await Task { await untilEnded() }.value
    }

    /// Waits until no address is being ended.
    private func untilEnded() async {
        while true {
            let seen = bell.rings
            if state.withLock({ $0.endings == 0 }) { return }
            await bell.wait(after: seen, atMost: .never, on: client.scheduler)
        }
    }

    private func handBack(_ replies: [String]) {
        let naks = replies.map { OutgoingMessage(subject: $0, payload: Array("-NAK".utf8)) }
        if !naks.isEmpty { try? client.say(naks) }
    }
}

// MARK: What comes

extension PullInbox {
    /// Takes what arrives at an address.
    ///
    /// Whether a message is the stream's is decided before its status is read: publishers may give their messages any
    /// status, and an empty payload. Every message that a consumer delivers has a reply subject to acknowledge it.
    private func receive(_ message: IncomingMessage, _ generation: UInt64) {
        if !message.isDelivered {
            // Of what has another reply subject, only a status of 100 is the server's. It is as good as a heartbeat.
            guard let status = message.status, message.reply == nil || status == 100 else { return }
            heed(status, message, generation)
        } else {
            let now = NIODeadline.now()
            let (isWanted, strays) = state.withLock { state -> (Bool, [String]) in
                guard state.generation == generation, !state.isOver, state.outstanding > 0 else {
                    if deadline != nil { state.strays += [message.reply].compactMap(\.self) }
                    return (false, Self.takeStrays(&state))
                }
                state.here.append(Arrival(message: message, time: now))
                state.expectLess(1)
                state.isLarge = false
                Self.isHeard(&state, now)
                return (true, [])
            }
            handBack(strays)
            if !isWanted { return }
        }
        bell.ring()
    }

    private static func isHeard(_ state: inout State, _ now: NIODeadline) {
        state.silences = 0
        state.looksAfterAt = nil
        if let heartbeat = state.heartbeat {
            state.silentUntil = now + heartbeat * 2 + .nanoseconds(heartbeat.nanoseconds / 2)
        }
    }

    /// Takes what the server says of a request.
    private func heed(_ status: Int, _ message: IncomingMessage, _ generation: UInt64) {
        let number = UInt64(message.subject.split(separator: ".").last ?? "") ?? 0
        let left = message.headers?["Nats-Pending-Messages"].flatMap { Int($0) }
        let text = message.headers?.description ?? ""
        let now = NIODeadline.now()
        let gone = state.withLock { state -> Gone? in
            guard state.generation == generation else { return nil }
            if status == 100 {
                Self.isHeard(&state, now)
                return nil
            }
            switch (status, text.lowercased()) {
            case (400, _): state.failure = .refused("the server takes no pull: \(text)")
            case (409, let why) where why.contains("deleted") || why.contains("push based"):
                state.failure = .missing("group \(consumer) of stream \(stream)")
            case (409, let why) where why.hasPrefix("exceeded maxrequest"):
                state.failure = .refused("the server takes no pull: \(text)")
            case (503, _): state.isDoubtful = true
            case (409, "exceeded maxwaiting"): state.failure = .unavailable(text)
            default: break
            }
            if number <= state.lastOver { return nil }
            if status == 409, text.lowercased().hasPrefix("message size exceeds") {
                state.isCut = true
                // Not one of them fits.
                if number == state.lastRequest, left ?? state.lastCount == state.lastCount { state.isLarge = true }
            } else if state.looks, left != 0, ![404, 408, 503].contains(status) {
                // It has not said whether something is there.
                state.failure = state.failure ?? .unavailable("the server has ended a pull: \(text)")
            }
            if let left {
                state.expectLess(left)
                return nil
            }
            // Without a count, what others are to bring is not known: but for where there are none.
            if state.lastRequest > state.lastOver + 1 { return Self.forget(&state) }
            state.expectLess(state.outstanding)
            return nil
        }
        retire(gone)
    }
}

extension JetStream {
    /// Throws what an answer says.
    static func check(_ answer: IncomingMessage, missing what: String) throws {
        if answer.status == 503 { throw BrokerError.unavailable("JetStream does not answer") }
        do {
            guard let failure = try JSONDecoder().decode(Envelope.self, from: .init(answer.payload)).error else {
                return
            }
            throw failure.error(what)
        } catch let error as BrokerError {
            throw error
        } catch {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
    }
}
