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
        Example("retry-policy") { m in
            m.source.retry(.exponential(from: 2.columns, limit: 9.columns, jitter: .none), scheduler: m.clock)
        },
        Example("timeout-spans") { m in
            m.source.timeout(first: 4.columns, between: 5.columns, scheduler: m.clock)
        },
    ]
}
