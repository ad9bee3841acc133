import Foundation
import NIOCore
import RxStreams
import RxSwift
import Synchronization

/// Receives the messages pulled from one consumer, at an *address*: the subject of a subscription.
///
/// The count of a pull limits the messages in transit and in this inbox together. If two heartbeats are missed, if the
/// server reports no responders, or if the connection is lost, all requests are abandoned, and new ones are made at a
/// new address. Messages that still arrive at the old address are handed back.
///
/// Guards: `state` is protected by its lock. `receive` is called on the client's loop.
final class PullInbox: Sendable {
    struct Arrival: Sendable {
        var message: IncomingMessage
        var time: NIODeadline
    }

    /// An abandoned address whose subscription must end.
    private struct Gone {
        let subscription: NATSSubscription
        /// Whether the inbox is over and requests were open. If so, the subscription of a group lasts until the server
        /// has forgotten these requests.
        let isLast: Bool
    }

    private struct State {
        var here = CircularBuffer<Arrival>()
        var subscription: NATSSubscription?
        var generation: UInt64 = 0
        var lastRequest: UInt64 = 0
        /// Requests up to this number are over. Later requests share `outstanding`, because a message does not identify
        /// its request.
        var lastOver: UInt64 = 0
        /// The number of messages that the requests after `lastOver` still expect.
        var outstanding = 0
        var lastCount = 0
        /// Whether the last request ends at once if the server has no messages.
        var looks = false
        /// Whether the next message exceeds the byte limit. If so, the next request asks for one message without a
        /// limit.
        var isLarge = false
        /// Whether a request ended at its byte limit, before the server had sent all requested messages.
        var isCut = false
        var heartbeat: TimeAmount?
        /// The time at which the requests are abandoned if neither a message nor a heartbeat has arrived.
        var silentUntil = NIODeadline.now()
        /// When to ask the server whether the consumer exists; nil after a response, or after asking.
        var looksAfterAt: NIODeadline?
        /// The number of successive times that `silentUntil` has passed without a response.
        var silences = 0
        /// Whether the server has reported that the request's subject has no responders.
        var isDoubtful = false
        var failure: BrokerError?
        /// The error with which all further pulls fail.
        var refusal: BrokerError?
        /// The number of addresses whose subscriptions are ending.
        var endings = 0
        /// Reply subjects of messages to hand back when no address is ending any more.
        var strays: [String] = []
        var isOver = false
        /// Whether the inbox is over because the driver is closing.
        var isClosing = false

        /// Whether a request that does not wait is open. If so, no other request is made.
        var isLooking: Bool { looks && outstanding > 0 }

        mutating func expectLess(_ count: Int) {
            outstanding = max(0, outstanding - count)
            if outstanding == 0 { lastOver = lastRequest }
        }

        /// Drops messages that have waited for a whole deadline, because another member may have them.
        mutating func dropOverdue(_ deadline: TimeAmount, at now: NIODeadline) {
            while let first = here.first, first.time + deadline <= now { here.removeFirst() }
        }
    }

    private enum Next {
        case messages([IncomingMessage], more: Int)
        case ask(looks: Bool)
        case wait(until: NIODeadline)
        /// Wait for messages that the server may already have sent.
        case look
        case silent(Gone?, again: Bool)
        /// The first open request has had no response, so ask whether the consumer exists.
        case unanswered
        case doubtful(Gone?)
        case nothing
        case failed(BrokerError)
        case over(isClosing: Bool)
    }

    private let client: NATSClient
    private let stream: String
    private let consumer: String
    /// The time after which a message in the inbox is dropped, because the server sends it again; nil without
    /// acknowledgements.
    private let deadline: TimeAmount?
    private let signal = AsyncSignal()
    private let state = Mutex(State())

    /// The byte limit of a request. A server closes a connection with more unsent bytes than its `max_pending`, 64 MiB
    /// by default. All pulls of a client share one connection.
    ///
    /// If messages add up exactly to the limit, a server ends the request silently. The limit is prime, so messages of
    /// equal size cannot add up to it.
    static let most = (4 << 20) - 3
    /// The time without a response after which the server is asked whether the consumer exists. A server may not answer
    /// a request to a removed consumer.
    private static let answersWithin = TimeAmount.seconds(1)
    /// The shortest wait; shorter ones count as zero.
    static let shortest = TimeAmount.milliseconds(50)
    /// How long to wait for further messages after the first. For a group this time is shorter, because further
    /// messages may go to other members or be held back by the group's bound.
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

    private var pulls: String { "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)" }

    /// Whether a request that waits for new messages is open, so that messages may be in transit.
    var isWaiting: Bool { state.withLock { $0.outstanding > 0 && !$0.looks } }

    /// Returns the messages that have arrived, or waits for some. Throws `missing` if the consumer has been removed.
    /// For a consumer without acknowledgements, throws `unavailable` if messages may be lost. The caller then starts
    /// again at its position. Throws `refused` if the member has left and the pull would wait.
    func pull(upTo count: Int, within span: TimeAmount) async throws -> [IncomingMessage] {
        let begun = NIODeadline.now()
        let looks = span < Self.shortest
        let hadLeft = state.withLock { $0.isOver }
        var hasAsked = false
        while true {
            try Task.checkCancellation()
            let seen = signal.count
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
                await signal.wait(
                    after: seen, atMost: .nanoseconds(Int(max(0, left.nanoseconds))), on: client.scheduler)
            case .silent(let old, let again):
                retire(old)
                if again || deadline == nil { try await lookAfterConsumer() }
                if deadline == nil { throw BrokerError.unavailable("the server was silent") }
            case .unanswered: Task { await lookWhetherGone() }
            case .doubtful(let old):
                retire(old)
                try await lookAfterConsumer()
                throw BrokerError.unavailable("no responders for \(consumer) of stream \(stream)")
            case .look:
                hasAsked = true
                try await client.roundTrip()
            case .nothing: return []
            case .over(let isClosing):
                if isClosing || client.isClosed { throw BrokerError.closed }
                if hadLeft && !looks { throw BrokerError.refused("a member that has left cannot pull") }
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
            // The failure concerns only later messages, so the arrived ones are returned first.
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

    /// Returns the time at which to stop waiting for more messages; nil to return at once.
    private func gathers(_ state: borrowing State, _ count: Int, _ first: NIODeadline, _ now: NIODeadline)
        -> NIODeadline?
    {
        let until = first + (deadline == nil ? Self.gathering.reader : Self.gathering.group)
        guard now < until, state.here.count < count, state.outstanding > 0, !state.isOver else { return nil }
        let last = state.here.last?.message.reply.flatMap { DeliveryTrace($0) }
        return (last?.left ?? 0) > 0 ? until : nil
    }

    /// The next step of a pull that does not wait. Such a pull returns an empty array only if the server reports no
    /// messages or, in a group, the connection was lost.
    private func nextLook(_ state: borrowing State, _ hasAsked: Bool) -> Next {
        if !hasAsked { return state.outstanding == 0 ? .ask(looks: true) : .look }
        if state.isCut && state.outstanding == 0 { return .ask(looks: true) }
        return state.isLooking ? .wait(until: state.silentUntil) : .nothing
    }

    private func nextWait(_ state: borrowing State, _ count: Int, _ now: NIODeadline, _ end: NIODeadline) -> Next {
        if now >= end { return .nothing }
        let free = count - state.outstanding
        let asks = !state.isLarge && free >= max(1, count / 4)
        if !state.isLooking, state.outstanding == 0 || asks { return .ask(looks: false) }
        guard state.outstanding > 0 else { return .wait(until: end) }
        return .wait(until: min(end, state.silentUntil, state.looksAfterAt ?? end))
    }

    /// Requests messages, so that at most `limit` are in transit or have arrived. If `keeping` is true, the caller has
    /// messages to return. The call then requests `limit` messages, and throws at once without a connection.
    private func ask(upTo limit: Int, keeping: Bool = false, within span: TimeAmount, looks: Bool) async throws {
        if !keeping { try await client.untilReady() }
        let generation = try address()
        let expires = max(span, Self.shortest)
        let heartbeat = min(client.options.heartbeat, .nanoseconds(expires.nanoseconds / 2))
        let beats = !looks && heartbeat >= .milliseconds(100)
        let now = NIODeadline.now()
        // At least 1 MiB, because stored messages may be larger than the server's present limit.
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
            // Earlier requests delay `silentUntil` only while they expect messages.
            state.silentUntil = state.outstanding > 0 ? max(state.silentUntil, now + silence) : now + silence
            state.lastRequest += 1
            state.lastCount = count
            state.outstanding += count
            state.looks = looks
            state.isCut = false
            state.heartbeat = beats ? heartbeat : nil
            // A small count needs no byte limit. Without one, the server sends no status after the last message.
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

    /// Abandons all requests. The caller passes the returned address to `retire`.
    private static func forget(_ state: inout State) -> Gone? {
        let isLast = state.isOver && state.outstanding > 0
        state.generation += 1
        state.expectLess(state.outstanding)
        guard let subscription = state.subscription.take() else { return nil }
        state.endings += 1
        return Gone(subscription: subscription, isLast: isLast)
    }

    /// Ends a subscription, and hands back messages in transit to it.
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

    /// A request for one message that expires after 1 ms.
    static let probe = Array("{\"batch\":1,\"expires\":1000000}".utf8)

    /// Waits, at most two seconds, until the server has forgotten the requests of ended addresses, and until the
    /// messages that it sent there have arrived.
    ///
    /// If a 2.9 server must redeliver a message and finds only a request of an ended address, it withholds the message
    /// and later sends a message twice. It removes requests of ended addresses when it receives another request and has
    /// no message to deliver. So this function sends a request that expires soon, and waits for its end.
    private func untilForgotten() async throws {
        let answered = AsyncSignal()
        let seen = answered.count
        // The request has its own address, because a message of the stream does not identify the request that it
        // answers.
        let address = try client.subscribe(
            to: "_INBOX.\(NATSClient.word()).probe", isLasting: false, asks: pulls
        ) { _ in
            answered.send()
        } deliver: { message in
            if message.isDelivered, let reply = message.reply { self.state.withLock { $0.strays.append(reply) } }
            answered.send()
        }
        defer { client.unsubscribe(address) }
        try client.say([OutgoingMessage(subject: pulls, reply: address.subject, payload: Self.probe)])
        await answered.wait(after: seen, atMost: .seconds(2), on: client.scheduler)
    }

    private func hasEnded() {
        let strays = state.withLock { state in
            state.endings -= 1
            return Self.takeStrays(&state)
        }
        handBack(strays)
        signal.send()
    }

    /// Returns no strays while an address is ending.
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
        if client.isClosed { state.withLock { $0.isOver = true } }
        // If the connection was lost, the address has ended with it.
        if isRefused { retire(gone) } else if gone != nil { hasEnded() }
        signal.send()
    }

    func refuse(_ error: BrokerError) {
        state.withLock { $0.refusal = $0.refusal ?? error }
        signal.send()
    }

    private func lookAfterConsumer() async throws {
        let messages = try await client.request([
            OutgoingMessage(subject: "$JS.API.CONSUMER.INFO.\(stream).\(consumer)")
        ])
        try JetStream.check(messages[0], missing: "group \(consumer) of stream \(stream)")
        state.withLock { $0.silences = 0 }
    }

    private func lookWhetherGone() async {
        do {
            try await lookAfterConsumer()
        } catch BrokerError.missing(let what) {
            state.withLock { if !$0.isOver { $0.failure = .missing(what) } }
            signal.send()
        } catch {}
    }

    /// Leaves the group, and hands back the messages that are in transit, or have arrived and are not overdue. If
    /// `isClosing`, pulls then throw `BrokerError.closed`.
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
        signal.send()
        handBack(strays)
        retire(gone)
        // A cancellation must not stop the wait.
        await Task { await untilEnded() }.value
    }

    private func untilEnded() async {
        while true {
            let seen = signal.count
            if state.withLock({ $0.endings == 0 }) { return }
            await signal.wait(after: seen, atMost: .never, on: client.scheduler)
        }
    }

    private func handBack(_ replies: [String]) {
        let naks = replies.map { OutgoingMessage(subject: $0, payload: Array("-NAK".utf8)) }
        if !naks.isEmpty { try? client.say(naks) }
    }
}

// MARK: Receiving

extension PullInbox {
    /// Publishers may give their messages any status. So a message belongs to the stream if it has the reply subject of
    /// a delivery. Only other messages report a status of the server.
    private func receive(_ message: IncomingMessage, _ generation: UInt64) {
        if !message.isDelivered {
            // The server's statuses have no reply subject, except 100, which counts as a heartbeat.
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
        signal.send()
    }

    private static func isHeard(_ state: inout State, _ now: NIODeadline) {
        state.silences = 0
        state.looksAfterAt = nil
        if let heartbeat = state.heartbeat {
            state.silentUntil = now + heartbeat * 2 + .nanoseconds(heartbeat.nanoseconds / 2)
        }
    }

    private func heed(_ status: Int, _ message: IncomingMessage, _ generation: UInt64) {
        let number = UInt64(message.subject.split(separator: ".").last ?? "") ?? 0
        let left = message.headers?["Nats-Pending-Messages"].flatMap { Int($0) }.map { max(0, $0) }
        let text = message.headers?.description ?? ""
        let now = NIODeadline.now()
        let gone = state.withLock { state -> Gone? in
            guard state.generation == generation else { return nil }
            if status == 100 {
                Self.isHeard(&state, now)
                return nil
            }
            switch (status, text.lowercased()) {
            case (400, _): state.failure = .refused("the server rejects the pull: \(text)")
            case (409, let why) where why.contains("deleted") || why.contains("push based"):
                state.failure = .missing("group \(consumer) of stream \(stream)")
            case (409, let why) where why.hasPrefix("exceeded maxrequest"):
                state.failure = .refused("the server rejects the pull: \(text)")
            case (503, _): state.isDoubtful = true
            case (409, "exceeded maxwaiting"): state.failure = .unavailable(text)
            default: break
            }
            if number <= state.lastOver { return nil }
            if status == 409, text.lowercased().hasPrefix("message size exceeds") {
                state.isCut = true
                // If the request has received no message, the next message exceeds its byte limit.
                if number == state.lastRequest, left ?? state.lastCount == state.lastCount { state.isLarge = true }
            } else if state.looks, left != 0, ![404, 408, 503].contains(status) {
                // The server has not reported whether there are messages.
                state.failure = state.failure ?? .unavailable("the server has ended a pull: \(text)")
            }
            if let left {
                state.expectLess(left)
                return nil
            }
            // The status does not state how many messages its request still expected. If other requests are open, that
            // number is unknown, so all requests are abandoned.
            if state.lastRequest > state.lastOver + 1 { return Self.forget(&state) }
            state.expectLess(state.outstanding)
            return nil
        }
        retire(gone)
    }
}

extension JetStream {
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
