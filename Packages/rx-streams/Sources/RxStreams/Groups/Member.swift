import Logging
import RxResilience
import RxSwift
import Synchronization

/// One membership of a group, from joining to leaving.
struct Member<Element: Sendable>: Sendable {
    let stream: DurableStream<Element>
    let group: GroupSettings
    let inFlight: Int
    /// The number of deliveries after which a message goes to the dead letters; nil for never.
    let attempts: Int?
    let dead: String
    let metrics: GroupMetrics

    init(_ stream: DurableStream<Element>, _ group: GroupSettings, inFlight: Int, attempts: Int?, dead: String?) {
        self.stream = stream
        self.group = group
        self.inFlight = max(inFlight, 1)
        self.attempts = attempts
        self.dead = dead ?? stream.deadLetterStream
        metrics = stream.metrics.group(group.name)
    }

    private static var log: Logger { Logger(label: "RxStreams") }

    /// Joins, pulls, and passes each element to `hand`. Leaves when a step throws, when the task is cancelled, or when
    /// the drain is stopped and all passed elements are finished. Before each pull, `ready` waits until the downstream
    /// has room. `finish` waits until the passed elements are finished; nil to wait until they are settled.
    func run(
        until drain: Drain?, ready: @escaping @Sendable () async throws -> Void,
        hand: @escaping @Sendable (Delivery<Element>) async throws -> Void,
        finish: (() async throws -> Void)? = nil
    ) async throws {
        let driver = stream.driver
        try group.check()
        try group.check(of: stream.name, with: stream.settings.subjects)
        guard let member = try await joined(until: drain) else {
            try await finish?()
            return
        }
        // Whether a warning has been logged since the last dead letter was stored.
        let isSaid = Mutex(false)
        let inFlightMessages = InFlightMessages(driver, member, group, metrics) { message, why in
            do {
                try await keepDead(message, why)
                isSaid.withLock { $0 = false }
            } catch let error where Self.isLasting(error) {
                let wasSaid = isSaid.withLock { isSaid in
                    defer { isSaid = true }
                    return isSaid
                }
                if !wasSaid { warn(of: message, error) }
                throw error
            }
        }
        inFlightMessages.begin()
        let lag = Task(executorPreference: driver.executor) { await watchLag() }
        let result: Result<Void, any Error>
        do {
            try await pull(from: member, into: inFlightMessages, until: drain, ready, hand)
            await member.stopPulling()
            if let finish {
                try await finish()
                // Throws if the engine has refused a verdict since the last pull.
                _ = try await inFlightMessages.room(below: .max)
            } else {
                inFlightMessages.handBackHeld()
                _ = try await inFlightMessages.room(below: 1)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        lag.cancel()
        // Runs in another task, because the last verdicts must be sent even if this task is cancelled.
        await Task(executorPreference: driver.executor) { await inFlightMessages.leave() }.value
        try result.get()
    }

    private func keepDead(_ message: PulledMessage, _ why: String) async throws {
        func keep(isCut: Bool) async throws {
            let letter = DeadLetter.message(
                message, why, stream: stream.name, group: group.name, to: dead, isCut: isCut, by: stream.driver)
            _ = try await stream.driver.append([letter], to: dead)
        }
        do {
            try await keep(isCut: false)
        } catch BrokerError.refused {
            // The reason and the added headers may make the letter too large. So it is stored without the message's
            // payload and headers.
            try await keep(isCut: true)
        }
        metrics.dead.increment()
    }

    private static func isLasting(_ error: any Error) -> Bool {
        switch error {
        case BrokerError.unavailable, BrokerError.closed, is CancellationError: false
        default: true
        }
    }

    private func warn(of message: PulledMessage, _ error: any Error) {
        Self.log.warning(
            "a dead letter cannot be stored: the store is retried until it succeeds",
            metadata: [
                "rx.stream": "\(stream.name)", "rx.group": "\(group.name)", "rx.dead": "\(dead)",
                "rx.position": "\(message.stored.position)", "error": "\(error)",
            ])
    }

    /// Returns nil if the drain is stopped before the member has joined.
    private func joined(until drain: Drain?) async throws -> (any GroupMember)? {
        let driver = stream.driver
        let joined = Mutex<(any GroupMember)?>(nil)
        do {
            try await untilStopped(drain, "a join of \(stream.name)") {
                try await driver.persistently(for: stream.name) {
                    try await driver.ensure(stream.settings)
                    try await driver.makeIfMissing(stream.deadLetterSettings(dead))
                }
                let member = try await driver.persistently(for: stream.name) {
                    try await driver.join(group, of: stream.name)
                }
                joined.withLock { $0 = member }
            }
        } catch is CancellationError where joined.withLock({ $0 != nil }) {
            // The join succeeded before it was cancelled. The caller makes the returned member leave.
        }
        return joined.withLock { $0 }
    }

    private func pull(
        from member: any GroupMember, into inFlightMessages: InFlightMessages, until drain: Drain?,
        _ ready: @escaping @Sendable () async throws -> Void,
        _ hand: @escaping @Sendable (Delivery<Element>) async throws -> Void
    ) async throws {
        try await untilStopped(drain, "pulls of \(stream.name)") {
            try await pull(from: member, into: inFlightMessages, ready, hand)
        }
    }

    /// Cancels the work when the drain is stopped. `name` is the work's name in the drain's report.
    private func untilStopped(
        _ drain: Drain?, _ name: String, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let drain else { return try await work() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await work() }
                tasks.addTask {
                    try await Observable<Never>.never().until(drain, as: name).asCompletable().value
                }
                // The first task to end decides the result.
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        } catch is CancellationError where drain.isStopped && !Task.isCancelled {}
    }

    private func pull(
        from member: any GroupMember, into inFlightMessages: InFlightMessages,
        _ ready: @Sendable () async throws -> Void, _ hand: @Sendable (Delivery<Element>) async throws -> Void
    ) async throws {
        let driver = stream.driver
        while true {
            let begun = ContinuousClock.now
            try await ready()
            let waited = begun.duration(to: .now)
            if waited > .milliseconds(1) { metrics.pausedSeconds.increment(by: waited / .seconds(1)) }
            let room = try await inFlightMessages.room(below: inFlight)
            let messages = try await driver.persistently(for: stream.name) {
                try await member.pull(upTo: room, within: .seconds(30))
            }
            for message in messages {
                metrics.delivered.increment()
                if message.attempt > 1 { metrics.redelivered.increment() }
            }
            for message in inFlightMessages.add(messages) {
                if let delivery = await decoded(message, inFlightMessages) { try await hand(delivery) }
            }
        }
    }

    /// If the message cannot be decoded or has been delivered too often, sends it to the dead letters and returns nil.
    private func decoded(_ message: PulledMessage, _ inFlightMessages: InFlightMessages) async -> Delivery<Element>? {
        if let attempts, message.attempt > attempts {
            await inFlightMessages.reject(message, message.triedTooOften)
            return nil
        }
        do {
            return Delivery(message, try stream.codec.decode(message.stored.message.payload), inFlightMessages)
        } catch {
            stream.metrics.undecodable.increment()
            stream.warnUndecodable("it goes to the dead letters", message.stored.position, error)
            await inFlightMessages.reject(message, "not decoded: \(error)")
            return nil
        }
    }

    private func watchLag() async {
        while (try? await stream.driver.sleep(.seconds(10))) != nil {
            if let summary = try? await stream.driver.summary(of: group.name, in: stream.name) {
                metrics.lag.record(summary.lag)
            }
        }
    }
}

extension PulledMessage {
    var triedTooOften: String { "delivered \(attempt - 1) times and never settled" }
}
