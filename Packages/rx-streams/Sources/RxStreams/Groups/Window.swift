import RxSwift
import Synchronization

/// What a member has out: pulled and not settled. It bounds that, tells the engine what became of each, and keeps
/// deadlines.
///
/// Two tasks serve it: one says verdicts, as many together as have come; one extends deadlines, and forgets what the
/// engine has taken back.
///
/// Guards: `state` is under its lock, which is held while nobody is called or woken. Who takes a saying out of it calls
/// its `told`, once. `servants` are set by `begin()`, before anything else is called.
final class Window: Sendable {
    /// Called when the engine has been told; with `false`, when it cannot be any more.
    typealias Told = @Sendable (_ done: Bool) -> Void

    private enum Phase {
        /// It waits here, or its handler runs: its deadline is extended for it.
        case held
        /// It is with somebody who extends its deadline himself.
        case given
        /// It is on its way to the dead letters; its deadline is extended. Who leaves waits for it.
        case buried
        /// It did not get there, and who has claimed it tries again; its deadline is extended.
        case unburied
        /// There is a verdict.
        case settled
    }

    private struct Entry {
        /// Which message it is: a position is used again where an engine has lost its last messages.
        let position: Position
        let time: RxTime
        /// By what it is settled: what its last delivery came with.
        var token: MessageToken
        var phase = Phase.held
        /// Its verdict is being told, or has been.
        var isBeingTold = false
        /// Its verdict is that it is to come again.
        var comesAgain = false
        /// By which tick the engine has given it to somebody else.
        var due: Int
    }

    private struct Saying {
        /// With the token that the message first came with.
        let verdict: Verdict
        let told: Told?
    }

    private struct State {
        /// By the tokens that the messages first came with.
        var entries: [MessageToken: Entry] = [:]
        /// Which entry is the last of its position.
        var present: [Position: MessageToken] = [:]
        var sayings: [Saying] = []
        var isClosed = false
        /// Why the engine takes no more verdicts.
        var refusal: BrokerError?
        /// Goes on four times within a deadline, by a timer: no clock that may be set is asked.
        var tick = 0
        var servants: (teller: Task<Void, Never>, keeper: Task<Void, Never>)?

        /// When the deadline has passed of what begins now: the first of the ticks may come at once.
        var due: Int { tick + 5 }

        /// The verdicts as the engine is told them: of what has come again meanwhile, with the token of that.
        func words(of sayings: [Saying]) -> [Verdict] {
            sayings.map {
                Verdict(entries[$0.verdict.token]?.token ?? $0.verdict.token, $0.verdict.settlement)
            }
        }

        mutating func remove(_ token: MessageToken) {
            guard let entry = entries.removeValue(forKey: token) else { return }
            if present[entry.position] == token { present[entry.position] = nil }
        }

        /// Takes what is delivered again while it is held, or its verdict is on its way, as what is out already.
        ///
        /// - Returns: whether it was that.
        mutating func takesAsHeld(_ message: PulledMessage) -> Bool {
            guard let token = present[message.stored.position], var entry = entries[token],
                entry.time == message.stored.time
            else { return false }
            switch entry.phase {
            // Who has it has let its deadline pass.
            case .given: return false
            // What is to come again has come.
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
    /// Rings when there is something to say, when there is room, and when it is closed.
    private let bell = Bell()

    /// - Parameter keepDead: puts a message among the dead letters.
    init(
        _ driver: any StreamDriver, _ member: any GroupMember, _ group: GroupSettings, _ metrics: GroupMetrics,
        keepDead: @escaping @Sendable (PulledMessage, String) async throws -> Void
    ) {
        self.driver = driver
        self.member = member
        deadline = group.deadline
        self.metrics = metrics
        self.keepDead = keepDead
    }

    /// Where tasks run that work with the driver.
    var executor: (any TaskExecutor)? { driver.executor }

    /// Begins to serve it. `leave()` ends that.
    func begin() {
        let teller = Task(executorPreference: driver.executor) { await self.tell() }
        let keeper = Task(executorPreference: driver.executor) { await self.keep() }
        state.withLock { $0.servants = (teller, keeper) }
    }

    // MARK: What is out

    /// Waits until less than `limit` are out, and returns how many more there may be.
    ///
    /// - Throws: `BrokerError.refused(_:)` if the engine has refused a verdict. It would refuse others too, and deliver
    ///   each message again and again.
    func room(below limit: Int) async throws -> Int {
        while true {
            try Task.checkCancellation()
            let seen = bell.rings
            let (count, refusal) = state.withLock { ($0.entries.count, $0.refusal) }
            if let refusal { throw refusal }
            let room = limit - count
            if room > 0 { return room }
            await bell.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }

    /// Takes in messages that have been pulled. Their deadlines are extended until they are handed over.
    ///
    /// One that is held here already, because its deadline passed while nobody could extend it, is taken as that one:
    /// it is not handled twice at once.
    ///
    /// - Returns: those that are to be handed on.
    func add(_ messages: [PulledMessage]) -> [PulledMessage] {
        let (new, count) = state.withLock { state in
            let due = state.due
            let new = messages.filter { message in
                if state.takesAsHeld(message) { return false }
                state.entries[message.token] = Entry(
                    position: message.stored.position, time: message.stored.time, token: message.token, due: due)
                state.present[message.stored.position] = message.token
                return true
            }
            return (new, state.entries.count)
        }
        metrics.unsettled.record(count)
        return new
    }

    /// One goes to somebody who extends its deadline himself.
    func handOver(_ token: MessageToken) {
        state.withLock { $0.entries[token]?.phase = .given }
    }

    // MARK: Verdicts

    /// Settles a message that is not settled yet.
    ///
    /// - Parameter told: called when the engine has been told; with `false` where it cannot be any more, or where the
    ///   message was settled before.
    func settle(_ token: MessageToken, as settlement: Settlement, told: Told? = nil) {
        settle(token, as: settlement, from: [.held, .given], told)
    }

    private func settle(_ token: MessageToken, as settlement: Settlement, from phases: Set<Phase>, _ told: Told?) {
        let isFirst = state.withLock { state in
            guard Self.move(token, from: phases, to: .settled, &state) else { return false }
            if case .again = settlement { state.entries[token]?.comesAgain = true }
            state.sayings.append(Saying(verdict: Verdict(token, settlement), told: told))
            return true
        }
        if isFirst { bell.ring() } else { told?(false) }
    }

    /// Settles a message, and returns whether the engine has been told.
    func settled(_ token: MessageToken, as settlement: Settlement) async -> Bool {
        await withCheckedContinuation { continuation in
            settle(token, as: settlement) { continuation.resume(returning: $0) }
        }
    }

    /// Gives a message up, after it has come to the dead letters.
    ///
    /// - Returns: whether it is among them, and the engine has been told; false where it was settled before.
    @discardableResult
    func reject(_ message: PulledMessage, _ why: String) async -> Bool {
        guard claim(message.token) else { return false }
        return await bury(message, why)
    }

    /// Takes a message for the dead letters; false where it was settled before.
    func claim(_ token: MessageToken) -> Bool {
        state.withLock { Self.move(token, from: [.held, .given], to: .buried, &$0) }
    }

    /// Puts a message that was claimed among the dead letters, and gives it up.
    @discardableResult
    func bury(_ message: PulledMessage, _ why: String) async -> Bool {
        if let isDead = await tryToBury(message, why) { return isDead }
        // It comes again, and is buried then.
        settle(message.token, as: .again(after: .seconds(1)), from: [.unburied], nil)
        return false
    }

    /// Puts a message that was claimed among the dead letters, and gives it up.
    ///
    /// - Returns: whether it is among them, and the engine has been told; nil where it could not be put there: it is
    ///   claimed as before.
    func tryToBury(_ message: PulledMessage, _ why: String) async -> Bool? {
        // Where it was tried before it may have been handed back meanwhile.
        guard state.withLock({ Self.move(message.token, from: [.buried, .unburied], to: .buried, &$0) }) else {
            return false
        }
        do {
            try await keepDead(message, why)
        } catch BrokerError.closed {
            // It never will be.
            settle(message.token, as: .again(after: .nanoseconds(0)), from: [.buried], nil)
            return false
        } catch {
            state.withLock { _ = Self.move(message.token, from: [.buried], to: .unburied, &$0) }
            bell.ring()
            return nil
        }
        return await withCheckedContinuation { continuation in
            settle(message.token, as: .givenUp, from: [.buried]) { continuation.resume(returning: $0) }
        }
    }

    /// Begins a message's deadline anew.
    func extend(_ token: MessageToken) {
        let isOut = state.withLock { state in
            guard !state.isClosed, let entry = state.entries[token], entry.phase != .settled else { return false }
            state.sayings.append(Saying(verdict: Verdict(token, .extended), told: nil))
            return true
        }
        if isOut { bell.ring() }
    }

    /// Hands back what waits here, and has been handed over to nobody.
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

    // MARK: The tasks that serve it

    /// Tells the engine what there is to tell, until the window is closed.
    private func tell() async {
        while true {
            let seen = bell.rings
            let (sayings, isClosed) = state.withLock { state in
                defer { if !state.isClosed { state.sayings = [] } }
                return (state.sayings, state.isClosed)
            }
            if isClosed { return }
            if sayings.isEmpty {
                await bell.wait(after: seen, atMost: .never, on: driver.scheduler)
            } else {
                await tell(sayings)
            }
        }
    }

    /// Tells verdicts; those whose deadline has not passed, again, while that fails for want of a connection.
    private func tell(_ sayings: [Saying]) async {
        var left = sayings
        var pause = 20
        while !left.isEmpty {
            let verdicts = state.withLock { state in
                for saying in left where saying.verdict.settlement != .extended {
                    state.entries[saying.verdict.token]?.isBeingTold = true
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

    /// - Parameter verdicts: as the engine has heard them; nil where it has not.
    private func told(_ sayings: [Saying], as verdicts: [Verdict]? = nil) {
        guard !sayings.isEmpty else { return }
        let done = verdicts != nil
        let (count, over) = state.withLock { state in
            let due = state.due
            let words = state.words(of: sayings)
            var over: [Saying] = []
            for (index, saying) in sayings.enumerated() {
                if saying.verdict.settlement != .extended {
                    if let verdicts, words[index] != verdicts[index], !state.isClosed {
                        // It came again meanwhile: that is not settled by the token of the one before.
                        state.sayings.append(saying)
                        continue
                    }
                    state.remove(saying.verdict.token)
                } else if done {
                    state.entries[saying.verdict.token]?.due = due
                }
                over.append(saying)
            }
            return (state.entries.count, over)
        }
        metrics.unsettled.record(count)
        bell.ring()
        for saying in over { saying.told?(done) }
    }

    /// Extends deadlines, and forgets what the engine has given to somebody else, until it is cancelled.
    private func keep() async {
        let pause = RxTimeInterval.nanoseconds(max(deadline.nanosecondsClamped / 4, 1_000_000))
        while (try? await driver.sleep(pause)) != nil {
            let rings = state.withLock { state in
                guard !state.isClosed else { return false }
                state.tick += 1
                for (token, entry) in state.entries {
                    switch entry.phase {
                    case .held, .buried, .unburied:
                        state.sayings.append(Saying(verdict: Verdict(token, .extended), told: nil))
                    case .given: if entry.due <= state.tick { state.remove(token) }
                    case .settled: break
                    }
                }
                return true
            }
            if rings { bell.ring() }
        }
    }

    /// Closes it, behind what is on its way to the dead letters; all that has no verdict is handed back meanwhile.
    private func close() async {
        while true {
            let seen = bell.rings
            let isClosed = state.withLock { state in
                state.isClosed = !state.entries.values.contains { $0.phase == .buried }
                return state.isClosed
            }
            if isClosed { return }
            handBack([.held, .given, .unburied])
            await bell.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }

    /// Says what is left to say, hands back all that has no verdict, and leaves the group. To be called once, in a task
    /// that is not cancelled.
    func leave() async {
        await member.stopPulling()
        await close()
        let servants = state.withLock { $0.servants.take() }
        servants?.keeper.cancel()
        bell.ring()
        await servants?.teller.value
        let (sayings, back) = state.withLock { state in
            let back = state.entries.values.filter { $0.phase != .settled }.sorted { $0.position < $1.position }
            let sayings = zip(state.sayings, state.words(of: state.sayings)).map { Saying(verdict: $1, told: $0.told) }
            defer { (state.sayings, state.entries, state.present) = ([], [:], [:]) }
            return (sayings, back.map(\.token))
        }
        let verdicts = sayings.map(\.verdict) + back.map { Verdict($0, .again(after: .nanoseconds(0))) }
        var done = true
        if !verdicts.isEmpty {
            do { try await member.settle(verdicts) } catch { done = false }
        }
        for saying in sayings { saying.told?(done) }
        await member.leave()
        metrics.unsettled.record(0)
    }
}
