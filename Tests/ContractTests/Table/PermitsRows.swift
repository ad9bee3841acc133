import RxResilience

extension Table {
    static let permitsRows: [Row] = [
        Row("admitted(by:)", "", [.exact]) { $0.a.admitted(by: Bulkhead(8)) },
        Row("limited(by:)", "", [.exact]) { $0.a.limited(by: limiter($0)) },
        Row("paced(by:)", "", [.exact]) { $0.a.paced(by: limiter($0)) },
        Row("guarded(by:)", "", [.exact]) { $0.a.guarded(by: breaker($0)) },

        Row("PrimitiveSequence.admitted(by:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().admitted(by: Bulkhead(8))
        },
        Row("PrimitiveSequence.limited(by:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().limited(by: limiter($0))
        },
        Row("PrimitiveSequence.guarded(by:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().guarded(by: breaker($0))
        },
    ]

    private static func limiter(_ rig: Rig) -> RateLimiter {
        RateLimiter(1_000_000, per: .seconds(1), burst: 1_000_000, scheduler: rig.scheduler)
    }

    private static func breaker(_ rig: Rig) -> CircuitBreaker {
        CircuitBreaker("never open", window: .calls(.max), minimumCalls: .max, scheduler: rig.scheduler)
    }
}
