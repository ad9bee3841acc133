import RxResilience

extension Table {
    static let retriesAndEndsRows: [Row] = [
        Row("retry(_:budget:if:scheduler:using:)", "", [.survives]) {
            $0.a.retry(.every(.seconds(1), attempts: 2), scheduler: $0.scheduler)
        },
        Row("retry(_:budget:if:scheduler:using:)", "at once", [.survives, .retries]) {
            $0.a.retry(.atOnce(attempts: 2), budget: RetryBudget(ratio: 1), scheduler: $0.scheduler)
        },
        Row("retry(_:budget:if:scheduler:using:)", "nothing left") {
            $0.a.retry(.atOnce(), budget: RetryBudget(ratio: 0, burst: 0), scheduler: $0.scheduler)
        },
        Row("timeout(first:between:total:scheduler:)", "", [.exact]) {
            $0.a.timeout(
                first: .seconds(1000), between: .seconds(1000), total: .seconds(2000), scheduler: $0.scheduler)
        },
        Row("timeout(first:between:total:scheduler:)", "fires", [.endsItself, .fails]) {
            $0.a.timeout(first: .milliseconds(1), scheduler: $0.scheduler)
        },
        Row("timeout(first:scheduler:)", "", [.exact]) {
            $0.a.timeout(first: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("timeout(between:scheduler:)", "", [.exact]) {
            $0.a.timeout(between: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("timeout(within:scheduler:)", "", [.exact]) {
            $0.a.timeout(within: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("deadline(in:scheduler:)", "", [.exact]) {
            $0.a.deadline(in: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("deadline(within:scheduler:)", "", [.exact]) {
            $0.a.deadline(within: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("hedged(after:most:budget:scheduler:)", "", [.exact]) {
            $0.a.hedged(after: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("hedged(after:most:budget:scheduler:)", "twice", [.multiplies, .endsItself]) {
            $0.a.hedged(after: .seconds(0), scheduler: $0.scheduler)
        },
        Row("batched(count:weight:within:scheduler:weighing:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.batched(count: 2, weight: 5, within: .seconds(1), scheduler: rig.scheduler) { element in
                try hook()
                return element.value
            }
        },
        Row("batched(as:count:weight:within:scheduler:weighing:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.batched(as: "rows", count: 2, weight: 5, scheduler: rig.scheduler) { element in
                try hook()
                return element.value
            }
        },
        Row("hedged(as:after:most:budget:scheduler:)", "", [.exact]) {
            $0.a.hedged(as: "calls", after: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("until(_:as:)", "", [.exact]) { $0.a.until(Drain()) },
        Row("counted(by:as:)", "", [.exact]) { $0.a.counted(by: Drain()) },

        Row(
            "PrimitiveSequence.retry(_:budget:if:scheduler:using:)", "",
            [.delegates, .survives, .endsItself, .oneEvent]
        ) {
            $0.single().retry(.every(.seconds(1), attempts: 2), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.timeout(total:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().timeout(total: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.timeout(within:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().timeout(within: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.deadline(within:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().deadline(within: TimeLimit(.seconds(1000)), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.deadline(in:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().deadline(in: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.hedged(after:most:budget:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().hedged(after: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.hedged(as:after:most:budget:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().hedged(as: "calls", after: .seconds(1000), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.counted(by:as:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().counted(by: Drain())
        },
        Row("Maybe.until(_:as:)", "", [.delegates, .endsItself, .oneEvent]) { $0.maybe().until(Drain()) },
        Row("Completable.until(_:as:)", "", [.delegates, .oneEvent]) { $0.completable().until(Drain()) },
    ]
}
