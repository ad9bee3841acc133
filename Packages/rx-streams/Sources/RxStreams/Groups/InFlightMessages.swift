import RxSwift
import Synchronization

/// The messages that a member has pulled and not settled.
///
/// Two tasks serve this object. One sends verdicts, in batches. The other extends deadlines, and forgets messages that
/// the engine has given to another member.
///
/// Guards: `state` is protected by its lock. No callback runs and no task is resumed while the lock is held. The code
/// that removes a `PendingAck` calls its `told` once. `begin()` sets `servants` before any other call.
final class InFlightMessages: Sendable {
    /// Called with true when a verdict has been sent, false if it cannot be sent any more.
    typealias Told = @Sendable (_ done: Bool) -> Void

    private enum Phase {
        /// The message waits in the member, or its handler runs. In this phase, and in `buried` and `unburied`, this
        /// object extends the deadline.
        case held
        /// A subscriber has the message, and must extend the deadline itself.
        case given
        /// The message is being stored as a dead letter. `leave()` waits for the result.
        case buried
        /// Storing the dead letter failed, and the caller will try again.
        case unburied
        case settled
    }

    private struct Entry {
        /// The position alone does not identify the message, because an engine that has lost messages reuses positions.
        let position: Position
        let time: RxTime
        let serial: UInt64
        /// The token of the latest delivery. It settles the message.
        var token: MessageToken
        var phase = Phase.held
        /// Whether the verdict is being sent or has been sent.
        var isBeingTold = false
        var comesAgain = false
        /// The first tick after the deadline.
        var due: Int
    }

    private struct PendingAck {
        /// The verdict, with the token of the message's first delivery.
        let verdict: Verdict
        let told: Told?
    }

    private struct State {
        /// The messages by the tokens of their first deliveries.
        var entries: [MessageToken: Entry] = [:]
        /// The key of the latest entry in `entries` for each position.
        var present: [Position: MessageToken] = [:]
        var pendingAcks: [PendingAck] = []
        var isClosed = false
        /// The error with which the engine refused a verdict. `room(below:)` throws it.
        var refusal: BrokerError?
        /// The current tick. A deadline lasts four ticks. Deadlines are counted in ticks, so setting the system clock
        /// has no effect.
        var tick = 0
        var servants: (teller: Task<Void, Never>, keeper: Task<Void, Never>)?

        /// The `due` of a deadline that starts now: four whole ticks follow the current one.
        var due: Int { tick + 5 }

        /// Returns the verdicts, each with the latest token of its message.
        func words(of pendingAcks: [PendingAck]) -> [Verdict] {
            pendingAcks.map {
                Verdict(entries[$0.verdict.token]?.token ?? $0.verdict.token, $0.verdict.settlement)
            }
        }

        mutating func remove(_ token: MessageToken) {
            guard let entry = entries.removeValue(forKey: token) else { return }
            if present[entry.position] == token { present[entry.position] = nil }
        }

        /// Updates the entry that has the same message, and returns true. Returns false if there is no such entry, or
        /// if the delivery must be handled separately.
        mutating func takesAsHeld(_ message: PulledMessage) -> Bool {
            guard let token = present[message.stored.position], var entry = entries[token],
                entry.time == message.stored.time, entry.serial == message.serial
            else { return false }
            switch entry.phase {
            // The subscriber has let the earlier deadline pass.
            case .given: return false
            // The earlier verdict has requested this delivery.
            case .settled where entry.isBeingTold && entry.comesAgain: return false
            case .held, .buried, .unburied, .settled: break
            }
            entry.token = message.token
            entry.due = due
            entries[token] = entry
            return true
        }
    }

    private let driver: any StreamDriver
    private let member: any GroupMember
    private let deadline: RxTimeInterval
    private let metrics: GroupMetrics
    private let keepDead: @Sendable (PulledMessage, String) async throws -> Void
    private let state = Mutex(State())
    /// Signals a verdict to send, room for a pull, or closing.
    private let signal = AsyncSignal()

    init(
        _ driver: any StreamDriver, _ member: any GroupMember, _ group: GroupSettings, _ metrics: GroupMetrics,
        keepDead: @escaping @Sendable (PulledMessage, String) async throws -> Void
    ) {
        self.driver = driver
        self.member = member
        deadline = member.deadlineInForce ?? group.deadline
        self.metrics = metrics
        self.keepDead = keepDead
    }

    var executor: (any TaskExecutor)? { driver.executor }

    func begin() {
        let teller = Task(executorPreference: driver.executor) { await self.tell() }
        let keeper = Task(executorPreference: driver.executor) { await self.keep() }
        state.withLock { $0.servants = (teller, keeper) }
    }

    // MARK: Room for pulls

    /// Waits until fewer than `limit` messages are unsettled. Returns how many more may be pulled. If the engine has
    /// refused a verdict, throws `BrokerError.refused(_:)`, because each message would be delivered again and again.
    func room(below limit: Int) async throws -> Int {
        while true {
            try Task.checkCancellation()
            let seen = signal.count
            let (count, refusal) = state.withLock { ($0.entries.count, $0.refusal) }
            if let refusal { throw refusal }
            let room = limit - count
            if room > 0 { return room }
            await signal.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }

    /// Adds pulled messages, and returns those that were not held before.
    ///
    /// If a deadline could not be extended in time, the engine may deliver a held message again. Its entry then gets
    /// the new token, so that the message is not handled twice at once.
    func add(_ messages: [PulledMessage]) -> [PulledMessage] {
        let (new, count) = state.withLock { state in
            let due = state.due
            let new = messages.filter { message in
                if state.takesAsHeld(message) { return false }
                state.entries[message.token] = Entry(
                    position: message.stored.position, time: message.stored.time, serial: message.serial,
                    token: message.token, due: due)
                state.present[message.stored.position] = message.token
                return true
            }
            return (new, state.entries.count)
        }
        metrics.unsettled.record(count)
        return new
    }

    func handOver(_ token: MessageToken) {
        state.withLock { $0.entries[token]?.phase = .given }
    }

    // MARK: Verdicts

    /// Settles a message. If it cannot be settled any more, calls `told` with false.
    func settle(_ token: MessageToken, as settlement: Settlement, told: Told? = nil) {
        settle(token, as: settlement, from: [.held, .given], told)
    }

    private func settle(_ token: MessageToken, as settlement: Settlement, from phases: Set<Phase>, _ told: Told?) {
        let isFirst = state.withLock { state in
            guard Self.move(token, from: phases, to: .settled, &state) else { return false }
            if case .again = settlement { state.entries[token]?.comesAgain = true }
            state.pendingAcks.append(PendingAck(verdict: Verdict(token, settlement), told: told))
            return true
        }
        if isFirst { signal.send() } else { told?(false) }
    }

    func settled(_ token: MessageToken, as settlement: Settlement) async -> Bool {
        await withCheckedContinuation { continuation in
            settle(token, as: settlement) { continuation.resume(returning: $0) }
        }
    }

    /// Claims a message, then stores it as a dead letter. Returns whether the verdict has been sent.
    @discardableResult
    func reject(_ message: PulledMessage, _ why: String) async -> Bool {
        guard claim(message.token) else { return false }
        return await bury(message, why)
    }

    /// Marks a message as on its way to the dead letters. Returns false if it was settled before.
    func claim(_ token: MessageToken) -> Bool {
        state.withLock { Self.move(token, from: [.held, .given], to: .buried, &$0) }
    }

    /// Stores a claimed message as a dead letter. If that fails, the message is delivered again.
    @discardableResult
    func bury(_ message: PulledMessage, _ why: String) async -> Bool {
        if let isDead = await tryToBury(message, why) { return isDead }
        settle(message.token, as: .again(after: .seconds(1)), from: [.unburied], nil)
        return false
    }

    /// Returns true if the letter is stored and the verdict has been sent. Returns nil if the broker is open but the
    /// letter could not be stored. The message then stays claimed, and the caller may try again. Returns false in all
    /// other cases.
    func tryToBury(_ message: PulledMessage, _ why: String) async -> Bool? {
        // If an earlier try failed, the message may have been handed back since. Then no letter is stored.
        guard state.withLock({ Self.move(message.token, from: [.buried, .unburied], to: .buried, &$0) }) else {
            return false
        }
        do {
            try await keepDead(message, why)
        } catch BrokerError.closed {
            settle(message.token, as: .again(after: .nanoseconds(0)), from: [.buried], nil)
            return false
        } catch {
            state.withLock { _ = Self.move(message.token, from: [.buried], to: .unburied, &$0) }
            signal.send()
            return nil
        }
        return await withCheckedContinuation { continuation in
            settle(message.token, as: .givenUp, from: [.buried]) { continuation.resume(returning: $0) }
        }
    }

    func extend(_ token: MessageToken) {
        let isOut = state.withLock { state in
            guard !state.isClosed, let entry = state.entries[token], entry.phase != .settled else { return false }
            state.pendingAcks.append(PendingAck(verdict: Verdict(token, .extended), told: nil))
            return true
        }
        if isOut { signal.send() }
    }

    func handBackHeld() { handBack([.held]) }

    private func handBack(_ phases: Set<Phase>) {
        let tokens = state.withLock { state in
            state.entries.filter { phases.contains($0.value.phase) }.sorted { $0.value.position < $1.value.position }
                .map(\.key)
        }
        for token in tokens { settle(token, as: .again(after: .nanoseconds(0)), from: phases, nil) }
    }

    private static func move(
        _ token: MessageToken, from phases: Set<Phase>, to phase: Phase, _ state: inout State
    ) -> Bool {
        guard !state.isClosed, let entry = state.entries[token], phases.contains(entry.phase) else { return false }
        state.entries[token]?.phase = phase
        return true
    }

    // MARK: The tasks that send verdicts and extend deadlines

    private func tell() async {
        while true {
            let seen = signal.count
            let (pendingAcks, isClosed) = state.withLock { state in
                defer { if !state.isClosed { state.pendingAcks = [] } }
                return (state.pendingAcks, state.isClosed)
            }
            if isClosed { return }
            if pendingAcks.isEmpty {
                await signal.wait(after: seen, atMost: .never, on: driver.scheduler)
            } else {
                await tell(pendingAcks)
            }
        }
    }

    private func tell(_ pendingAcks: [PendingAck]) async {
        var left = pendingAcks
        var pause = 20
        while !left.isEmpty {
            let verdicts = state.withLock { state in
                for ack in left where ack.verdict.settlement != .extended {
                    state.entries[ack.verdict.token]?.isBeingTold = true
                }
                return state.words(of: left)
            }
            do {
                try await member.settle(verdicts)
                return told(left, as: verdicts)
            } catch BrokerError.unavailable {
                let isLate = state.withLock { state in
                    left.map { state.isClosed || (state.entries[$0.verdict.token]?.due ?? 0) <= state.tick }
                }
                told(zip(left, isLate).filter(\.1).map(\.0))
                left = zip(left, isLate).filter { !$1 }.map(\.0)
                if !left.isEmpty { try? await driver.sleep(.milliseconds(pause)) }
                pause = min(pause * 2, 1_000)
            } catch {
                if let error = error as? BrokerError, case .refused = error {
                    state.withLock { $0.refusal = $0.refusal ?? error }
                }
                return told(left)
            }
        }
    }

    private func told(_ pendingAcks: [PendingAck], as verdicts: [Verdict]? = nil) {
        guard !pendingAcks.isEmpty else { return }
        let done = verdicts != nil
        let (count, over) = state.withLock { state in
            let due = state.due
            let words = state.words(of: pendingAcks)
            var over: [PendingAck] = []
            for (index, ack) in pendingAcks.enumerated() {
                if ack.verdict.settlement != .extended {
                    if let verdicts, words[index] != verdicts[index], !state.isClosed {
                        // The message has been delivered again since, with a new token. So this verdict is sent again.
                        state.pendingAcks.append(ack)
                        continue
                    }
                    state.remove(ack.verdict.token)
                } else if done {
                    state.entries[ack.verdict.token]?.due = due
                }
                over.append(ack)
            }
            return (state.entries.count, over)
        }
        metrics.unsettled.record(count)
        signal.send()
        for ack in over { ack.told?(done) }
    }

    private func keep() async {
        let pause = RxTimeInterval.nanoseconds(max(deadline.nanosecondsClamped / 4, 1_000_000))
        while (try? await driver.sleep(pause)) != nil {
            let isOpen = state.withLock { state in
                guard !state.isClosed else { return false }
                state.tick += 1
                for (token, entry) in state.entries {
                    switch entry.phase {
                    case .held, .buried, .unburied:
                        state.pendingAcks.append(PendingAck(verdict: Verdict(token, .extended), told: nil))
                    case .given: if entry.due <= state.tick { state.remove(token) }
                    case .settled: break
                    }
                }
                return true
            }
            if isOpen { signal.send() }
        }
    }

    /// Closes the object once no message is on its way to the dead letters. Until then, hands back the other unsettled
    /// messages.
    private func close() async {
        while true {
            let seen = signal.count
            let isClosed = state.withLock { state in
                state.isClosed = !state.entries.values.contains { $0.phase == .buried }
                return state.isClosed
            }
            if isClosed { return }
            handBack([.held, .given, .unburied])
            await signal.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }

    /// Sends the remaining verdicts, hands back all messages without a verdict, and leaves the group. Call it once, in
    /// a task that is not cancelled.
    func leave() async {
        await member.stopPulling()
        await close()
        let servants = state.withLock { $0.servants.take() }
        servants?.keeper.cancel()
        signal.send()
        await servants?.teller.value
        let (pendingAcks, back) = state.withLock { state in
            let back = state.entries.values.filter { $0.phase != .settled }.sorted { $0.position < $1.position }
            let pendingAcks = zip(state.pendingAcks, state.words(of: state.pendingAcks)).map {
                PendingAck(verdict: $1, told: $0.told)
            }
            defer { (state.pendingAcks, state.entries, state.present) = ([], [:], [:]) }
            return (pendingAcks, back.map(\.token))
        }
        let verdicts = pendingAcks.map(\.verdict) + back.map { Verdict($0, .again(after: .nanoseconds(0))) }
        var done = true
        if !verdicts.isEmpty {
            do { try await member.settle(verdicts) } catch { done = false }
        }
        for ack in pendingAcks { ack.told?(done) }
        await member.leave()
        metrics.unsettled.record(0)
    }
}
