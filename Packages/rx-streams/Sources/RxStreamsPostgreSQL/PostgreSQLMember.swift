import Dispatch
import RxStreams
import RxSwift
import Synchronization

extension PostgreSQLDriver {
    public func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        try group.check()
        let rows = try await call(
            "ensure_group($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                .text(stream), .text(group.name), .text(group.filter),
                .text(group.filter.map { Patterns.expression([$0]) }), .integer(Int64(group.maxUnsettled)),
            ] + group.start.values + [.micros(group.deadline)])
        guard let id = rows.integer(0, 0) else { throw BrokerError.missing("group \(group.name) of stream \(stream)") }
        try GroupSettings(group.name, filter: rows.text(0, 1)).checkFilter(of: group, stream: stream)
        let member = Int64.random(in: 1 ... .max)
        try addMember(member)
        return PostgreSQLMember(self, group: id, member: member, deadline: group.deadline.microseconds)
    }

    public func remove(group: String, of stream: String) async throws {
        _ = try await call("remove_group($1, $2)", [.text(stream), .text(group)])
        wakeWaiters()
    }

    public func summary(of group: String, in stream: String) async throws -> GroupSummary {
        // Gives positions to waiting messages of `rx_publish`, so that they are counted.
        _ = try await summary(of: stream)
        let rows = try await call("group_summary($1, $2)", [.text(stream), .text(group)])
        return GroupSummary(waiting: Int(rows.integer(0, 0) ?? 0), unsettled: Int(rows.integer(0, 1) ?? 0))
    }
}

final class PostgreSQLMember: GroupMember {
    /// With these hints, the server reads fewer dead row versions.
    private struct Hints {
        /// A position below which no first delivery is unsettled.
        var low: Int64 = 0
        /// The latest time at which no message was due for another delivery.
        var clear: ContinuousClock.Instant?
        /// The time of the latest thorough search, which also finds first deliveries whose deadline has passed.
        var thorough: ContinuousClock.Instant?
        /// The time of the latest search that ignored these hints.
        var whole = ContinuousClock.now
    }

    private let driver: PostgreSQLDriver
    private let group: Int64
    private let member: Int64
    private let deadline: Int64
    private let hints = Mutex(Hints())

    init(_ driver: PostgreSQLDriver, group: Int64, member: Int64, deadline: Int64) {
        self.driver = driver
        self.group = group
        self.member = member
        self.deadline = deadline
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        guard count >= 1 else { throw BrokerError.refused("\(count) messages cannot be pulled") }
        do {
            return try await driver.wait(within: span) { try await look(count) } ?? []
        } catch {
            // After a crash of the server, the hints may be ahead of the group.
            hints.withLock { $0 = Hints() }
            throw error
        }
    }

    private func look(_ count: Int) async throws -> PostgreSQLDriver.Look<[PulledMessage]> {
        guard driver.isMember(member) else {
            try driver.checkOpen()
            throw BrokerError.refused("a member that has left cannot pull")
        }
        let begun = ContinuousClock.now
        let (low, since, isThorough) = hints.withLock { hints in
            // If the server's clock was set, deliveries may become due earlier than the hints allow.
            if begun - hints.whole > .seconds(30) { hints = Hints() }
            // A thorough search also reads the dead versions of recent rows, so it is rare while messages arrive. A row
            // becomes visible at the end of its transaction, perhaps seconds after its due time was computed. So each
            // search includes due times from 15 s before `clear`.
            let isThorough = hints.thorough.map { begun - $0 > .milliseconds(200) } ?? true
            return (hints.low, hints.clear.map { begun - $0 + .seconds(15) }, isThorough)
        }
        let rows = try await driver.call(
            "pull($1, $2, $3, $4, $5, $6, $7)",
            [
                .integer(group), .integer(member), .integer(Int64(count)), .integer(deadline), .integer(low),
                .integer(since.map { Int64($0.nanoseconds / 1_000) }), .bool(isThorough),
            ])
        var messages: [PulledMessage] = []
        for row in 0..<rows.count {
            guard let stored = StoredMessage(rows, row, shift: 1) else { continue }
            let attempt = Int(rows.integer(row, 1) ?? 1)
            messages.append(
                PulledMessage(
                    stored, attempt: attempt,
                    token: DeliveryToken(group, stored.position.column, attempt, member).message))
        }
        let last = rows.count - 1
        hints.withLock { hints in
            if let low = rows.integer(last, 8) { hints.low = max(hints.low, low) }
            if messages.count < count, rows.integer(last, 7) != 4 { hints.clear = begun }
            // If no message was found, the next search is thorough.
            if messages.isEmpty { hints.thorough = nil } else if isThorough { hints.thorough = begun }
        }
        if !messages.isEmpty {
            // If this member left during the pull, its messages may not have been handed back.
            if !driver.isMember(member) { await handBack() }
            return .found(messages)
        }
        switch rows.integer(last, 7) {
        case 1, 3, 4: return .unfinished
        case 2:
            try await driver.sequence(ofGroup: group)
            return .unfinished
        default: return .nothing(for: rows.integer(last, 9).map { .microseconds($0) })
        }
    }

    func settle(_ verdicts: [Verdict]) async throws {
        if verdicts.isEmpty { return }
        let tokens = try verdicts.map { verdict in
            guard let token = DeliveryToken(verdict.token) else {
                throw BrokerError.refused("'\(verdict.token.value)' is not a token of this broker")
            }
            return token
        }
        _ = try await driver.call(
            "settle($1, $2, $3, $4, $5, $6, $7)",
            [
                .integers(tokens.map(\.group)), .integers(tokens.map(\.position)),
                .integers(tokens.map { Int64($0.attempt) }), .integers(tokens.map(\.member)),
                .integers(verdicts.map(\.settlement.kind)), .integers(verdicts.map(\.settlement.pause)),
                .integer(deadline),
            ])
        let wakes = verdicts.contains { if case .again = $0.settlement { true } else { false } }
        // A redelivery wakes the members of all processes. Any other verdict at most makes room in a full group, so it
        // wakes only the members of this process.
        if wakes { driver.wakeWaiters() } else { driver.signal.send() }
    }

    func leave() async {
        guard driver.removeMember(member) else { return }
        await handBack()
    }

    private func handBack() async {
        _ = try? await driver.call("hand_back($1)", [.integers([member])])
        driver.wakeWaiters()
    }
}

extension PostgreSQLDriver {
    func sequence(ofGroup group: Int64) async throws {
        let rows = try await query("SELECT stream FROM @.groups WHERE id = $1", [.integer(group)])
        if rows.count == 1, let stream = rows.integer(0, 0) { try await sequence(stream) }
    }
}

extension Settlement {
    fileprivate var kind: Int64 {
        switch self {
        case .done: 0
        case .again: 1
        case .givenUp: 2
        case .extended: 3
        }
    }

    fileprivate var pause: Int64 { if case .again(let pause) = self { max(0, pause.microseconds) } else { 0 } }
}
