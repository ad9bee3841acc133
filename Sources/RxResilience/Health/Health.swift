public import Dispatch
public import RxSwift

/// Reports whether a service has started, is ready for traffic, and is alive, for the probes of an orchestrator.
///
///     let health = Health(scheduler: scheduler)
///     health.add(drain)                                                 // stopped: not ready
///     health.add(orders, overloadedAfter: .seconds(10))                 // full for ten seconds: overloaded
///     health.add(payments)                                              // open: degraded, but ready
///     health.add(queue, as: "charging", stuckAfter: .seconds(30))       // runs nothing for 30 s: not live
///     health.markStarted()
///
///     let report = health.report()
///     respond(report.isReady ? 200 : 503, report.json)
///
/// Components are checked only during a report. So a measured span can be wrong by the time between two reports: see
/// <doc:HealthProbes>.
///
/// Any thread may use this object. It retains the added objects.
///
/// Guards: `state` has a lock, which is not held during call-outs. Each component guards its own state.
public final class Health: Sendable {
    /// The state of a service or of one of its components. The cases are ordered from good to bad.
    public enum State: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// The component works.
        case healthy

        /// The component does only a part of its work. For example, an open breaker rejects calls.
        case degraded

        /// The component gets more work than it can do. For example, a queue is full.
        case overloaded

        /// The component is shutting down. For example, a drain was stopped.
        case stopping

        /// The component makes no progress. For example, a scheduler runs nothing.
        case stuck

        /// Whether `left` is better than `right`.
        public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    /// The result of one check.
    public struct Finding: Sendable, Hashable {
        /// The state.
        public var state: State

        /// The reason; empty if there is none.
        public var detail: String

        /// Creates a finding from `state` and `detail`.
        public init(_ state: State, _ detail: String = "") {
            self.state = state
            self.detail = detail
        }
    }

    private struct Started {
        var isStarted = false
        var components: [HealthComponent] = []
    }

    private let state = Locked(Started())
    private let clock: HealthClock

    /// Creates an object for a service that has not started.
    ///
    /// - Parameter scheduler: provides the clock. Nothing is scheduled on it.
    public init(scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)) {
        clock = HealthClock(scheduler)
    }

    /// Whether ``markStarted()`` was called.
    public var isStarted: Bool { state.withLock { $0.isStarted } }

    /// Declares that the service has started. Until then it is not ready.
    public func markStarted() {
        state.withLock { $0.isStarted = true }
    }

    // MARK: Components

    /// Adds a drain. Once it has been stopped, the service is not ready.
    public func add(_ drain: Drain) {
        add("drain", drain.name, isRequired: true) { _ in
            drain.isStopped ? Finding(.stopping, "left: \(drain.running)") : Finding(.healthy)
        }
    }

    /// Adds a circuit breaker. While it is open, half open or forced open, the service is degraded but ready.
    public func add(_ breaker: CircuitBreaker) {
        add("circuit breaker", breaker.name, isRequired: false) { _ in
            switch breaker.state {
            case .closed, .disabled: Finding(.healthy)
            case .open: Finding(.degraded, "open")
            case .halfOpen: Finding(.degraded, "half open")
            case .forcedOpen: Finding(.degraded, "forced open")
            }
        }
    }

    /// Adds an intake.
    ///
    /// The intake counts as full from the first report that finds it full, until a report finds it below three quarters
    /// of its limit. An intake that has counted as full for at least `span` is overloaded. If `isReady` is false, the
    /// service is not ready while the intake is overloaded.
    public func add<Element>(
        _ intake: Intake<Element>, overloadedAfter span: RxTimeInterval, readyWhenOverloaded isReady: Bool = false
    ) {
        addQueue("intake", intake.name, span, isReady) { (intake.unhandled, intake.limit) }
    }

    /// Adds the queue of `bulkhead`.
    ///
    /// A full queue has the same effect as a full intake, and `span` and `isReady` have the same meaning. A bulkhead
    /// without a queue is never overloaded.
    public func add(
        _ bulkhead: Bulkhead, overloadedAfter span: RxTimeInterval, readyWhenOverloaded isReady: Bool = false
    ) {
        addQueue("bulkhead", bulkhead.name, span, isReady) { (bulkhead.waiting, bulkhead.limits.waiting) }
    }

    /// Adds the queue of `limiter`.
    ///
    /// A full queue has the same effect as a full intake, and `span` and `isReady` have the same meaning.
    public func add(
        _ limiter: RateLimiter, overloadedAfter span: RxTimeInterval, readyWhenOverloaded isReady: Bool = false
    ) {
        addQueue("rate limiter", limiter.name, span, isReady) { (limiter.waiting, limiter.limits.waiting) }
    }

    /// Adds one component for all bounded boundaries that `Counters` lists under the name `boundary`, such as
    /// `observe(on:)`.
    ///
    /// All these boundaries together are treated like one intake: their waiting elements are added, and their bounds
    /// are added. `span` and `isReady` have the same meaning as for an intake.
    ///
    /// Only subscriptions made while `Counters.isCounting` was set are included.
    public func add(
        boundary: String, overloadedAfter span: RxTimeInterval, readyWhenOverloaded isReady: Bool = false
    ) {
        addQueue("boundary", boundary, span, isReady) {
            let rows = Counters.snapshot().boundaries.filter { $0.name == boundary && $0.bound < .max }
            // The sum saturates, because a program may use a huge bound for a queue that never fills.
            let most = rows.reduce(0) { most, row in
                let (bound, overflow) = row.bound.multipliedReportingOverflow(by: row.live)
                return overflow ? .max : most.advanced(bySaturating: bound)
            }
            return (rows.reduce(0) { $0 + $1.depth }, most)
        }
    }

    /// Adds a scheduler. If it runs nothing for `span`, the service is stuck, and so not live.
    ///
    /// A report schedules an empty action, unless an earlier action still waits. The scheduler is stuck if the action
    /// has waited for longer than `span`. Choose a `span` longer than the longest job. `Hooks.watchForStalls` reports
    /// earlier, and names the blocking job. `name` is the scheduler's name in reports.
    public func add(_ scheduler: any SchedulerType, as name: String, stuckAfter span: RxTimeInterval) {
        let beat = HealthBeat(scheduler)
        let limit = span.nanosecondsInInt
        add("scheduler", name, isRequired: true) { now in
            let waited = beat.waited(at: now)
            return waited > limit
                ? Finding(.stuck, "has run nothing for \(waited / 1_000_000) ms") : Finding(.healthy)
        }
    }

    /// Adds a check that the program defines. `name` is the check's name in reports. `report()` calls the check, which
    /// must not block.
    ///
    /// If `isRequired` is true, the service is ready only while the check returns healthy or degraded. A check that
    /// returns stuck always makes the service not live.
    public func add(check name: String, isRequired: Bool = true, _ check: @escaping @Sendable () -> Finding) {
        add("check", name, isRequired: isRequired) { _ in check() }
    }

    private func add(
        _ kind: String, _ name: String, isRequired: Bool, _ check: @escaping @Sendable (_ now: Int) -> Finding
    ) {
        let component = HealthComponent(kind: kind, name: name, isRequired: isRequired, check: check)
        state.withLock { $0.components.append(component) }
    }

    private func addQueue(
        _ kind: String, _ name: String, _ span: RxTimeInterval, _ isReady: Bool,
        _ fill: @escaping @Sendable () -> (count: Int, limit: Int)
    ) {
        let fullness = Locked(Fullness())
        let limit = span.nanosecondsInInt
        add(kind, name, isRequired: !isReady) { now in
            let (count, most) = fill()
            let full = fullness.withLock { $0.look(count, most, at: now) }
            guard let full, full >= limit else { return Finding(.healthy) }
            return Finding(.overloaded, "\(count) of \(most), full for \(full / 1_000_000) ms")
        }
    }

    // MARK: Reports

    /// Checks all components.
    public func report() -> Report {
        let (isStarted, components) = state.withLock { ($0.isStarted, $0.components) }
        let now = clock.now
        return Report(
            isStarted: isStarted,
            components: components.map { component in
                Component(
                    kind: component.kind, name: component.name, isRequired: component.isRequired,
                    finding: component.check(now))
            })
    }

    /// A component of a report.
    public struct Component: Sendable, Hashable {
        /// The kind, such as `circuit breaker`.
        public let kind: String

        /// The component's name.
        public let name: String

        /// If true, the service is not ready while this component is overloaded or stopping.
        public let isRequired: Bool

        /// The component's state, and the reason.
        public let finding: Finding
    }

    /// The health of a service at one moment.
    public struct Report: Sendable, Hashable {
        /// Whether the service has started. For a startup probe.
        public let isStarted: Bool

        /// The components, in the order of their addition.
        public let components: [Component]

        /// The worst state of a component; healthy without components.
        public var state: State { components.map(\.finding.state).max() ?? .healthy }

        /// Whether the service makes progress. For a liveness probe: if false, the process should be restarted.
        public var isLive: Bool { !components.contains { $0.finding.state == .stuck } }

        /// Whether the service may get traffic: it has started, is live, and no required component is overloaded or
        /// stopping. For a readiness probe.
        public var isReady: Bool {
            isStarted && isLive && !components.contains { $0.isRequired && $0.finding.state > .degraded }
        }

        /// The report as a JSON object, with keys in a fixed order.
        ///
        /// `{"state":"degraded","started":true,"ready":true,"live":true,"components":[{"kind":"circuit breaker",
        /// "name":"payments","state":"degraded","detail":"open"}]}`, without the line break.
        public var json: String {
            let rows = components.map { component in
                let (state, detail) = (quoted("\(component.finding.state)"), quoted(component.finding.detail))
                return "{\"kind\":\(quoted(component.kind)),\"name\":\(quoted(component.name)),"
                    + "\"state\":\(state),\"detail\":\(detail)}"
            }
            return "{\"state\":\(quoted("\(state)")),\"started\":\(isStarted),\"ready\":\(isReady),"
                + "\"live\":\(isLive),\"components\":[\(rows.joined(separator: ","))]}"
        }

        private func quoted(_ text: String) -> String {
            var quoted = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": quoted += "\\\""
                case "\\": quoted += "\\\\"
                case "\n": quoted += "\\n"
                case _ where scalar.value < 0x20:
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: quoted.unicodeScalars.append(scalar)
                }
            }
            return quoted + "\""
        }
    }
}

private struct HealthComponent: Sendable {
    let kind: String
    let name: String
    let isRequired: Bool
    let check: @Sendable (_ now: Int) -> Health.Finding
}

// @unchecked Sendable because any thread may read a scheduler's clock.
private struct HealthClock: @unchecked Sendable {
    private let clock: SpanClock

    init(_ scheduler: any SchedulerType) {
        clock = SpanClock(scheduler)
    }

    var now: Int { clock.now }
}

struct Fullness {
    private var since: Int?

    /// Returns how long the queue has counted as full, in nanoseconds; nil if it does not count as full.
    mutating func look(_ count: Int, _ limit: Int, at now: Int) -> Int? {
        guard limit > 0 else {
            since = nil
            return nil
        }
        if count >= limit {
            since = since ?? now
        } else if count < limit - limit / 4 {
            since = nil
        }
        return since.map { max(0, now.span(since: $0)) }
    }
}

/// Measures how long an empty action waits on a scheduler. Guards: `asked` has a lock, which is not held while the
/// scheduler is called.
// @unchecked Sendable because of that guard, and because any thread may schedule on a scheduler.
private final class HealthBeat: @unchecked Sendable {
    private let scheduler: any SchedulerType
    /// When the waiting action was scheduled; nil if none waits.
    private let asked = Locked<Int?>(nil)

    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    /// Returns the wait in nanoseconds. If no action waits, schedules one and returns 0.
    func waited(at now: Int) -> Int {
        let before = asked.withLock { asked -> Int? in
            if asked == nil {
                asked = now
                return nil
            }
            return asked
        }
        if let before { return max(0, now.span(since: before)) }
        _ = scheduler.schedule(()) { [asked] in
            asked.withLock { $0 = nil }
            return Disposables.create()
        }
        return 0
    }
}
