import RxResilience
import RxSwift

extension Example {
    static let resilience: [Example] = [
        Example("batched") { m in m.source.batched(count: 3, within: 6.columns, scheduler: m.clock) },
        Example("hedged") { m in m.source.hedged(after: 6.columns, scheduler: m.clock) },
        Example("paced") { m in
            let limiter = RateLimiter(1, per: 2.columns, scheduler: m.clock)
            return m.source.paced(by: limiter)
        },
        Example(results: "limited") { m in
            let limiter = RateLimiter(1, per: 4.columns, scheduler: m.clock)
            m.result(m.a.limited(by: limiter))
            m.result(m.b.limited(by: limiter))
        },
        Example(results: "admitted") { m in
            let bulkhead = Bulkhead(1, waiting: 1)
            m.result(m.a.admitted(by: bulkhead))
            m.result(m.b.admitted(by: bulkhead))
        },
        Example(results: "guarded") { m in
            let breaker = CircuitBreaker("one", window: .calls(1), minimumCalls: 1, scheduler: m.clock)
            let guarded = m.source.guarded(by: breaker)
            m.result(guarded)
            m.result(guarded)
        },
        Example(results: "single-flight") { m in
            let flights = SingleFlight<String, Int>(ttl: 9.columns, scheduler: m.clock)
            let (id, call) = ("id", m.call.asSingle())
            let value = flights.value(for: id) { call }
            m.result(value)
            m.result(value)
            m.result(value)
        },
        Example("until-drain") { m in
            let drain = Drain()
            _ = m.stop.subscribe(onCompleted: { drain.stop() })
            return m.source.until(drain)
        },
        Example("deadline") { m in m.source.deadline(in: 6.columns, scheduler: m.clock) },
        Example("retry-policy") { m in
            m.source.retry(.exponential(from: 2.columns, limit: 9.columns, jitter: .none), scheduler: m.clock)
        },
        Example("timeout-spans") { m in
            m.source.timeout(first: 4.columns, between: 5.columns, scheduler: m.clock)
        },
    ]
}
