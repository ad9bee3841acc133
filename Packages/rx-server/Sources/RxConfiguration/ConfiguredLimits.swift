public import Configuration
public import Logging
public import RxResilience
import RxSwift
public import ServiceLifecycle
import Synchronization

/// Binds limits to keys of a configuration, and changes them when the configuration changes.
///
/// ```swift
/// let limits = ConfiguredLimits(config, logger: logger)
/// limits.bind(database, to: "limits.database")      // limits.database.running, limits.database.waiting
/// limits.bind(patience, to: "limits.chargeSeconds")
/// // As one service of a group, or in a task:
/// try await limits.run()
/// ```
///
/// <doc:RxConfiguration> lists the keys of each limit, and describes refused values. A configured value applies at
/// once. If its key is missing or removed, the limit has the value that it had before the binding.
///
/// All keys of one limit are read from one snapshot of the configuration and change together.
///
/// - **Threads**: any thread may bind. Limits change on the binding thread, and later on the executor of the task that
///   calls ``run()``. No lock is held. An older snapshot never replaces a newer one. If a bulkhead's limit rises,
///   waiting calls start on the thread that changes the limit. Waiting calls of a rate limiter start on its scheduler.
/// - **Memory**: the object retains the bound limits.
///
/// Guards: `bindings` has a lock; each binding guards its own state.
public final class ConfiguredLimits: Service {
    private let config: ConfigReader
    private let logger: Logger
    private let bindings = Mutex<[Binding]>([])

    /// Creates an object without bindings. The keys of later bindings are relative to the prefix of `config`. `logger`
    /// logs changes at the level info, and refused values as warnings.
    public init(_ config: ConfigReader, logger: Logger) {
        self.config = config
        self.logger = logger
    }

    /// Watches the configuration until the task is cancelled or a graceful shutdown begins. Throws the provider's
    /// error.
    public func run() async throws {
        try await cancelWhenGracefulShutdown { [self] in
            try await config.watchSnapshot { snapshots in
                for await _ in snapshots {
                    for binding in bindings.withLock({ $0 }) { binding.refresh(config, logger) }
                }
            }
        }
    }

    // MARK: Binding

    /// Binds a bulkhead to the keys `running` and `waiting` below `key`.
    public func bind(_ bulkhead: Bulkhead, to key: ConfigKey) {
        let before = bulkhead.limits
        bind(key, as: "bulkhead \(bulkhead.name)") { values in
            var limits = before
            limits.running = try values.count("running", before.running, "calls")
            limits.waiting = try values.count("waiting", before.waiting, "calls")
            if limits != bulkhead.limits { try bulkhead.setLimits(limits) }
        }
    }

    /// Binds a rate limiter to the keys `calls`, `spanSeconds`, `burst` and `waiting` below `key`.
    public func bind(_ limiter: RateLimiter, to key: ConfigKey) {
        let before = limiter.limits
        bind(key, as: "rate limiter \(limiter.name)") { values in
            var limits = before
            limits.calls = try values.count("calls", before.calls, "calls")
            limits.span = try values.span("spanSeconds", before.span)
            limits.burst = try values.count("burst", before.burst, "calls")
            limits.waiting = try values.count("waiting", before.waiting, "calls")
            if limits != limiter.limits { try limiter.setLimits(limits) }
        }
    }

    /// Binds a circuit breaker to the keys `windowCalls` or `windowSeconds`, `minimumCalls`, `failureRate`, `slowRate`,
    /// `slowAfterSeconds`, `openForSeconds` and `trials` below `key`.
    public func bind(_ breaker: CircuitBreaker, to key: ConfigKey) {
        let before = breaker.limits
        bind(key, as: "circuit breaker \(breaker.name)") { values in
            var limits = before
            if let span = try values.seconds("windowSeconds") {
                limits.window = .span(span)
            } else if let calls = try values.count("windowCalls", "calls") {
                limits.window = .calls(calls)
            }
            limits.minimumCalls = try values.count("minimumCalls", "calls") ?? before.minimumCalls
            limits.failureRate = try values.number("failureRate", "share of the calls") ?? before.failureRate
            limits.slowRate = try values.number("slowRate", "share of the calls") ?? before.slowRate
            limits.slowAfter = try values.span("slowAfterSeconds", before.slowAfter)
            limits.openFor = try values.span("openForSeconds", before.openFor)
            limits.trials = try values.count("trials", before.trials, "calls")
            if limits != breaker.limits { try breaker.setLimits(limits) }
        }
    }

    /// Binds a retry budget to the keys `ratio`, `burst` and `perSecond` below `key`.
    public func bind(_ budget: RetryBudget, to key: ConfigKey) {
        let before = budget.limits
        bind(key, as: "retry budget \(budget.name)") { values in
            var limits = before
            limits.ratio = try values.number("ratio", "tokens for each call") ?? before.ratio
            limits.burst = try values.count("burst", before.burst, "tokens")
            limits.perSecond = try values.number("perSecond", "tokens per second") ?? before.perSecond
            if limits != budget.limits { try budget.setLimits(limits) }
        }
    }

    /// Binds a time limit to a `key` whose value is in seconds, such as `limits.chargeSeconds`.
    public func bind(_ limit: TimeLimit, to key: ConfigKey) {
        let before = limit.span
        bind(key, as: "time limit \(limit.name)") { values in
            let span = try values.span(nil, before)
            if span != limit.span { try limit.setSpan(span) }
        }
    }

    /// Binds a queue limit to a `key` whose value is a number of elements.
    public func bind(_ limit: QueueLimit, to key: ConfigKey) {
        let before = limit.count
        bind(key, as: "queue limit \(limit.name)") { values in
            let count = try values.count(nil, before, "elements")
            if count != limit.count { try limit.setCount(count) }
        }
    }

    /// Binds the limit of an intake to a `key` whose value is a number of elements.
    public func bind<Element>(_ intake: Intake<Element>, to key: ConfigKey) {
        let before = intake.limit
        bind(key, as: "intake \(intake.name)") { values in
            let limit = try values.count(nil, before, "elements")
            if limit != intake.limit { try intake.setLimit(limit) }
        }
    }

    // MARK: Applying

    private func bind(
        _ key: ConfigKey, as object: String, _ apply: @escaping @Sendable (inout LimitValues) throws -> Void
    ) {
        let binding = Binding(key, object, apply)
        bindings.withLock { $0.append(binding) }
        binding.apply(config, logger)
    }
}

/// Only one thread at a time reads and applies snapshots, so no older snapshot is applied after a newer one.
///
/// Guards: `progress` and `last` have locks. No other code is called while one of them is held.
private final class Binding: Sendable {
    private enum Progress {
        case idle, applying
        /// The configuration changed while a thread was applying a snapshot. That thread applies the new snapshot next.
        case outdated
    }

    private let key: ConfigKey
    private let object: String
    private let change: @Sendable (inout LimitValues) throws -> Void
    /// The last values by key, so that the same values are reported only once.
    private let last = Mutex<[String: String]>([:])
    /// Initially `applying`, because the creator of the binding applies the first snapshot.
    private let progress = Mutex(Progress.applying)

    init(
        _ key: ConfigKey, _ object: String, _ change: @escaping @Sendable (inout LimitValues) throws -> Void
    ) {
        self.key = key
        self.object = object
        self.change = change
    }

    func refresh(_ config: ConfigReader, _ logger: Logger) {
        let isFree = progress.withLock { progress in
            defer { progress = progress == .idle ? .applying : .outdated }
            return progress == .idle
        }
        if isFree { apply(config, logger) }
    }

    func apply(_ config: ConfigReader, _ logger: Logger) {
        repeat { apply(config.snapshot(), logger) } while isOutdated()
    }

    private func isOutdated() -> Bool {
        progress.withLock { progress in
            defer { progress = progress == .outdated ? .applying : .idle }
            return progress == .outdated
        }
    }

    private func apply(_ snapshot: ConfigSnapshotReader, _ logger: Logger) {
        var values = LimitValues(snapshot, key)
        let failure: (any Error)?
        do {
            try change(&values)
            failure = nil
        } catch {
            failure = error
        }
        let isNew = last.withLock { last in
            defer { last = values.read }
            return last != values.read
        }
        guard isNew else { return }
        var metadata: Logger.Metadata = ["rx.limit": "\(object)"]
        switch failure {
        case let malformed as MalformedValue:
            metadata["rx.key"] = "\(malformed.key)"
            metadata["rx.value"] = "\(malformed.value)"
            metadata["rx.reason"] = "The value must be a number: \(malformed.unit)."
        case let invalid as InvalidLimit:
            metadata["rx.key"] = "\(values.keys(of: invalid.setting))"
            metadata["rx.value"] = "\(invalid.value)"
            metadata["rx.reason"] = "\(invalid.reason)."
        case let failure?:
            metadata["rx.key"] = "\(key.components.joined(separator: "."))"
            metadata["rx.reason"] = "\(failure)"
        case nil:
            for (key, value) in values.read { metadata["\(key)"] = "\(value)" }
            return logger.info("limit set", metadata: metadata)
        }
        logger.warning("limit refused", metadata: metadata)
    }
}

private struct MalformedValue: Error {
    let key: String
    let value: String
    let unit: String
}

/// The keys of one limit in one snapshot.
struct LimitValues {
    private let snapshot: ConfigSnapshotReader
    private let key: ConfigKey
    /// The values read so far, by their full keys.
    private(set) var read: [String: String] = [:]

    init(_ snapshot: ConfigSnapshotReader, _ key: ConfigKey) {
        self.snapshot = snapshot
        self.key = key
    }

    mutating func count(_ name: String?, _ unit: String) throws -> Int? {
        let key = whole(name)
        if let count = snapshot.int(forKey: key) {
            note(key, "\(count)")
            return count
        }
        try refuse(key, unit)
        return nil
    }

    mutating func count(_ name: String?, _ missing: Int, _ unit: String) throws -> Int {
        try count(name, unit) ?? missing
    }

    mutating func number(_ name: String?, _ unit: String) throws -> Double? {
        let key = whole(name)
        if let number = snapshot.double(forKey: key) ?? snapshot.int(forKey: key).map({ Double($0) }) {
            note(key, "\(number)")
            return number
        }
        try refuse(key, unit)
        return nil
    }

    mutating func seconds(_ name: String?) throws -> RxTimeInterval? {
        guard let seconds = try number(name, "seconds") else { return nil }
        guard seconds.isFinite, abs(seconds) < 9e9 else {
            throw MalformedValue(key: text(whole(name)), value: "\(seconds)", unit: "seconds, below 9e9")
        }
        return .nanoseconds(Int((seconds * 1e9).rounded()))
    }

    mutating func span(_ name: String?, _ missing: RxTimeInterval) throws -> RxTimeInterval {
        try seconds(name) ?? missing
    }

    /// Returns the keys whose values were read for `setting`, a parameter of the limit's initialiser, separated by
    /// commas. If there are none, returns the limit's key.
    func keys(of setting: String) -> String {
        let names = [setting, "\(setting)Calls", "\(setting)Seconds"] + (Self.aliases[setting] ?? [])
        let found = names.map { text(whole($0)) }.filter { read[$0] != nil }
        return found.isEmpty ? text(key) : found.joined(separator: ", ")
    }

    /// By parameter, the keys whose names do not begin with the parameter's name.
    private static let aliases = ["limit": ["running", "calls"], "per": ["spanSeconds"]]

    private func whole(_ name: String?) -> ConfigKey {
        var whole = key
        if let name { whole.components.append(name) }
        return whole
    }

    private func text(_ key: ConfigKey) -> String { key.components.joined(separator: ".") }

    private mutating func note(_ key: ConfigKey, _ value: String) {
        read[text(key)] = value
    }

    private mutating func refuse(_ key: ConfigKey, _ unit: String) throws {
        guard
            let value = snapshot.string(forKey: key) ?? snapshot.double(forKey: key).map({ "\($0)" })
                ?? snapshot.bool(forKey: key).map({ "\($0)" })
        else { return }
        note(key, value)
        throw MalformedValue(key: text(key), value: value, unit: unit)
    }
}
