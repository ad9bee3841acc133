import NIOCore
import RxStreams
import RxSwift
import Synchronization

extension NATSDriver {
    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        try group.check()
        try Self.check(stream, "stream")
        let deadline = group.deadline.nanosecondsClamped
        var config: [String: Any] = [
            "durable_name": group.name,
            "ack_policy": "explicit",
            "ack_wait": deadline,
            "max_ack_pending": group.maxUnsettled,
            "max_deliver": -1,
            // The maximum number of waiting pulls of all members together; each member has several.
            "max_waiting": 4096,
            "replay_policy": "instant",
        ]
        if let filter = group.filter { config["filter_subject"] = filter }
        let what = "stream \(stream)"
        let start = group.start.consumerFields
        let made = JetStream.json([
            // 2.9 servers ignore this field, so they change a group that another member has just created.
            "action": "create",
            "stream_name": stream, "config": config.merging(start) { $1 },
        ])
        var inForce = group
        inForce.deadline = .nanoseconds(try await makeGroup(group, stream, made, missing: what))
        let member = NATSMember(self, stream: stream, group: inForce)
        if !add(member) { throw BrokerError.closed }
        return member
    }

    /// Creates a group, or changes the settings of an existing one and keeps its progress. Returns the deadline in
    /// nanoseconds.
    private func makeGroup(
        _ group: GroupSettings, _ stream: String, _ made: [UInt8], missing what: String
    ) async throws -> Int {
        let create = "CONSUMER.DURABLE.CREATE.\(stream).\(group.name)"
        let request = OutgoingMessage(subject: "$JS.API.CONSUMER.INFO.\(stream).\(group.name)")
        for _ in 0..<3 {
            let answer = try await client.request([request])[0]
            do {
                try JetStream.check(answer, missing: what)
            } catch BrokerError.missing {
                do {
                    let _: JetStream.ConsumerInfo = try await ask(create, made, missing: what)
                    return group.deadline.nanosecondsClamped
                } catch BrokerError.refused(let why) where why.contains("already") {
                    // Another member has created the group since the look-up.
                    continue
                }
            }
            let change = try Self.change(answer.payload, by: group, stream)
            if let request = change.request {
                let _: JetStream.ConsumerInfo = try await ask(create, request, missing: what)
            }
            return change.deadline
        }
        throw BrokerError.unavailable("group \(group.name) of stream \(stream) is created and removed again and again")
    }

    func remove(group: String, of stream: String) async throws {
        try Self.check(stream, "stream")
        try Self.check(group, "group")
        do {
            let _: JetStream.Success = try await ask(
                "CONSUMER.DELETE.\(stream).\(group)", missing: "group \(group) of stream \(stream)")
        } catch BrokerError.missing {}
    }

    func summary(of group: String, in stream: String) async throws -> GroupSummary {
        try Self.check(stream, "stream")
        try Self.check(group, "group")
        let info: JetStream.ConsumerInfo = try await ask(
            "CONSUMER.INFO.\(stream).\(group)", missing: "group \(group) of stream \(stream)")
        return GroupSummary(waiting: info.num_pending, unsettled: info.num_ack_pending)
    }
}

/// A member of a group. The group is a durable pull consumer that all members share.
///
/// Guards: `isGone` is atomic. `refusal` is protected by its lock. The inbox protects all other mutable state.
final class NATSMember: GroupMember {
    private let driver: NATSDriver
    private let inbox: PullInbox
    private let deadline: TimeAmount
    let stream: String
    let groupName: String
    private let group: String
    /// Whether the group has been removed. In a new group of the same name, this member's tokens would identify other
    /// deliveries.
    private let isGone = Atomic(false)
    /// The error with which the server has refused an acknowledgement.
    private let refusal = Mutex<BrokerError?>(nil)

    /// `group` contains the settings that the server has. The deadline may be longer than this member requested.
    init(_ driver: NATSDriver, stream: String, group: GroupSettings) {
        self.driver = driver
        deadline = .nanoseconds(Int64(group.deadline.nanosecondsClamped))
        self.stream = stream
        groupName = group.name
        self.group = "group \(group.name) of stream \(stream)"
        inbox = PullInbox(driver.client, stream: stream, consumer: group.name, deadline: deadline)
    }

    var deadlineInForce: RxTimeInterval? { .nanoseconds(Int(deadline.nanoseconds)) }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        if count < 1 { throw BrokerError.refused("\(count) messages cannot be pulled") }
        let messages: [IncomingMessage]
        do {
            messages = try await inbox.pull(upTo: count, within: .nanoseconds(Int64(max(0, span.nanosecondsClamped))))
        } catch BrokerError.missing(let what) {
            isGone.store(true, ordering: .relaxed)
            throw BrokerError.missing(what)
        }
        let pulled = messages.compactMap { message -> PulledMessage? in
            guard let reply = message.reply, let trace = DeliveryTrace(reply) else { return nil }
            return PulledMessage(StoredMessage(message, trace), attempt: trace.attempt, token: MessageToken(reply))
        }
        driver.unsettled.add(pulled.map(\.token.value), due: .now() + deadline)
        return pulled
    }

    func settle(_ verdicts: [Verdict]) async throws {
        let messages = try verdicts.map { verdict -> OutgoingMessage in
            let token = verdict.token.value
            guard token.hasPrefix(DeliveryTrace.prefix), OutgoingMessage.isSubject(token) else {
                throw BrokerError.refused("\(token.debugDescription) is not the token of a message")
            }
            return OutgoingMessage(subject: token, payload: Self.words(verdict.settlement))
        }
        if messages.isEmpty { return }
        if let refusal = refusal.withLock({ $0 }) {
            for verdict in verdicts { driver.unsettled.remove(verdict.token.value) }
            throw refusal
        }
        if isGone.load(ordering: .relaxed) {
            for verdict in verdicts { driver.unsettled.remove(verdict.token.value) }
            throw BrokerError.missing(group)
        }
        try await driver.client.send(messages)
        for verdict in verdicts {
            if verdict.settlement == .extended {
                driver.unsettled.extend(verdict.token.value, due: .now() + deadline)
            } else {
                driver.unsettled.remove(verdict.token.value)
            }
        }
    }

    private static let ack = Array("+ACK".utf8)
    private static let term = Array("+TERM".utf8)
    private static let progress = Array("+WPI".utf8)

    private static func words(_ settlement: Settlement) -> [UInt8] {
        switch settlement {
        case .done: ack
        case .givenUp: term
        case .extended: progress
        case .again(let span):
            span.nanosecondsClamped <= 0
                ? Array("-NAK".utf8) : Array("-NAK {\"delay\":\(span.nanosecondsClamped)}".utf8)
        }
    }

    /// Called when the server has refused an acknowledgement. If the member continued, each message would be handled
    /// again and again, and become a dead letter.
    func refuse(_ error: BrokerError) {
        refusal.withLock { $0 = $0 ?? error }
        inbox.refuse(error)
    }

    func stopPulling() async { await inbox.leave() }

    func leave() async { await leave(isClosing: false) }

    /// Leaves the group. If `isClosing`, pulls then throw `BrokerError.closed`.
    func leave(isClosing: Bool) async {
        await inbox.leave(isClosing: isClosing)
        driver.remove(self)
    }
}

extension ReplayStart {
    var consumerFields: [String: Any] {
        switch self {
        case .beginning: ["deliver_policy": "all"]
        case .end: ["deliver_policy": "new"]
        case .position(let position):
            ["deliver_policy": "by_start_sequence", "opt_start_seq": max(1, position.number)]
        case .time(let time): ["deliver_policy": "by_start_time", "opt_start_time": JetStream.text(of: time)]
        }
    }
}
