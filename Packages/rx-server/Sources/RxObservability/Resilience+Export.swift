public import Dispatch
public import Metrics
public import RxResilience
public import RxSwift
import ServerSupport

extension Resilience {
    /// Exports metrics of RxResilience's limits to swift-metrics.
    ///
    /// ```swift
    /// let export = Resilience.export(every: .seconds(10), on: scheduler)   // at the start of the program
    /// ```
    ///
    /// <doc:MetricsOfLimits> lists all metrics.
    ///
    /// Counters and timers are recorded on the thread that causes the event, and gauges on the scheduler. The factory
    /// is called for the first value of each series. No lock is held during calls of the factory and the metrics. An
    /// event costs a dictionary look-up under a lock.
    ///
    /// - Parameters:
    ///   - period: the time between two recordings of the gauges, and before the first.
    ///   - scheduler: measures the time and records the gauges.
    ///   - prefix: the prefix of the names.
    ///   - names: for each kind of limit, the maximum number of names with a series of their own. A negative number
    ///     counts as 0.
    ///   - factory: makes the metrics.
    /// - Returns: a disposable that ends the export. Releasing it has no effect.
    public static func export(
        every period: RxTimeInterval, on scheduler: any SchedulerType, prefix: String = "rx", names: Int = 100,
        factory: any MetricsFactory = MetricsSystem.factory
    ) -> any Disposable {
        let series = MetricSeries(prefix: prefix, names: names, factory: factory)
        return Disposables.create(
            observe { source, event in series.record(event, of: source) },
            scheduler.schedulePeriodic((), startAfter: period, period: period) { series.record(snapshot()) })
    }
}

extension MetricSeries {
    fileprivate func record(_ event: Resilience.Event, of source: Resilience.Source) {
        let (kind, name) = (source.kind.metric, source.name)
        switch event {
        case .admitted(let waited):
            count("\(kind).calls", name, "outcome", "admitted")
            time("\(kind).wait.duration", name, waited)
        case .rejected: count("\(kind).calls", name, "outcome", "rejected")
        case .withdrawn(let waited):
            count("\(kind).calls", name, "outcome", "withdrawn")
            time("\(kind).wait.duration", name, waited)
        case .called(let outcome, let isSlow, let took):
            count("\(kind).calls", name, "outcome", outcome.rawValue)
            if isSlow { count("\(kind).slow_calls", name) }
            time("\(kind).call.duration", name, took)
        case .changed(let state): count("\(kind).transitions", name, "state", state.label)
        case .retried(let pause):
            count("\(kind).retries", name)
            time("\(kind).pause.duration", name, pause)
        case .gaveUp(let reason): count("\(kind).given_up", name, "reason", reason.rawValue)
        case .tokenTaken: count("\(kind).requests", name, "outcome", "taken")
        case .tokenDenied: count("\(kind).requests", name, "outcome", "denied")
        case .shared(let sharing): count("\(kind).callers", name, "outcome", sharing.rawValue)
        case .hedged: count("\(kind).hedges", name)
        case .answered(let byHedge): count("\(kind).answers", name, "winner", byHedge ? "hedge" : "first")
        case .timedOut(let span): count("\(kind).exceeded", name, "reason", span.rawValue)
        case .batched(let count, let waited):
            size("\(kind).size", name, count)
            time("\(kind).wait.duration", name, waited)
        case .accepted: count("\(kind).offers", name, "outcome", "accepted")
        case .refused(let reason): count("\(kind).offers", name, "outcome", reason.label)
        case .handled(let isSuccess, let took):
            count("\(kind).handled", name, "outcome", isSuccess ? "success" : "failure")
            time("\(kind).handling.duration", name, took)
        case .dropped: count("\(kind).handled", name, "outcome", "dropped")
        case .drained(let left, let took):
            count("\(kind).left", name, by: left)
            time("\(kind).duration", name, took)
        }
    }

    /// Limits with the same name share a series: their counts are added, and the worst breaker state is recorded.
    fileprivate func record(_ snapshot: Resilience.Snapshot) {
        var sums: [Key: Double] = [:]
        func add(_ kind: Resilience.Kind, _ metric: String, _ name: String, _ value: Double) {
            sums[Key(metric: "\(kind.metric).\(metric)", name: known(name, "\(kind.metric)")), default: 0] += value
        }
        for row in snapshot.bulkheads {
            add(.bulkhead, "running", row.name, Double(row.running))
            add(.bulkhead, "waiting", row.name, Double(row.waiting))
            add(.bulkhead, "running.limit", row.name, Double(row.limits.running))
            add(.bulkhead, "waiting.limit", row.name, Double(row.limits.waiting))
        }
        for row in snapshot.rateLimiters {
            add(.rateLimiter, "permits", row.name, Double(row.permits))
            add(.rateLimiter, "waiting", row.name, Double(row.waiting))
            add(.rateLimiter, "waiting.limit", row.name, Double(row.limits.waiting))
        }
        for row in snapshot.retryBudgets {
            add(.retryBudget, "tokens", row.name, row.tokens)
            add(.retryBudget, "tokens.limit", row.name, Double(row.limits.burst))
        }
        for row in snapshot.singleFlights { add(.singleFlight, "keys", row.name, Double(row.keys)) }
        for row in snapshot.intakes {
            add(.intake, "unhandled", row.name, Double(row.unhandled))
            add(.intake, "unhandled.limit", row.name, Double(row.limit))
        }
        for row in snapshot.drains { add(.drain, "running", row.name, Double(row.running.total)) }
        record(snapshot.circuitBreakers, in: &sums)
        record(sums)
    }

    private func record(_ breakers: [Resilience.CircuitBreakerState], in sums: inout [Key: Double]) {
        let kind = Resilience.Kind.circuitBreaker.metric
        var rows: [String: (state: CircuitBreaker.State, calls: Int, failed: Int, slow: Int)] = [:]
        for row in breakers {
            let name = known(row.name, kind)
            guard let sum = rows[name] else {
                rows[name] = (row.state, row.calls, row.failed, row.slow)
                continue
            }
            let state = row.state.severity > sum.state.severity ? row.state : sum.state
            rows[name] = (state, sum.calls + row.calls, sum.failed + row.failed, sum.slow + row.slow)
        }
        for (name, row) in rows {
            for state in CircuitBreaker.State.all {
                sums[Key(metric: "\(kind).state", name: name, label: "state", value: state.label)] =
                    state == row.state ? 1 : 0
            }
            let calls = Double(max(row.calls, 1))
            sums[Key(metric: "\(kind).failure_ratio", name: name)] = Double(row.failed) / calls
            sums[Key(metric: "\(kind).slow_ratio", name: name)] = Double(row.slow) / calls
        }
    }
}

extension Resilience.Kind {
    /// The part of metric names that identifies the kind.
    fileprivate var metric: String {
        switch self {
        case .bulkhead: "bulkhead"
        case .rateLimiter: "rate_limiter"
        case .circuitBreaker: "circuit_breaker"
        case .retry: "retry"
        case .retryBudget: "retry_budget"
        case .singleFlight: "single_flight"
        case .hedge: "hedge"
        case .timeout: "timeout"
        case .batch: "batch"
        case .intake: "intake"
        case .drain: "drain"
        }
    }
}

extension CircuitBreaker.State {
    fileprivate static let all: [Self] = [.closed, .open, .halfOpen, .forcedOpen, .disabled]

    fileprivate var label: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        case .forcedOpen: "forced_open"
        case .disabled: "disabled"
        }
    }

    /// The severity, higher for states that reject more calls.
    fileprivate var severity: Int {
        switch self {
        case .disabled: 0
        case .closed: 1
        case .halfOpen: 2
        case .open: 3
        case .forcedOpen: 4
        }
    }
}

extension IntakeRefused.Reason {
    fileprivate var label: String {
        switch self {
        case .stopping: "stopping"
        case .full: "full"
        case .notRunning: "not_running"
        }
    }
}
