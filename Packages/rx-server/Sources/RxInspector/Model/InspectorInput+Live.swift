import RxResilience
@_spi(RxServer) import RxSwift
import ServerSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension InspectorInput {
    /// The maximum number of inner subscriptions to look up at once. There may be many, and most have equal places.
    private static let mostInnerLookUps = 256

    /// Reads the program's state. Called without a lock. `known` contains the places that were looked up before, by
    /// subscription.
    static func read(
        at now: Int, _ log: InspectorLog, _ known: [Int: Subscriptions.Places], _ clock: () -> Int
    ) -> (input: InspectorInput, places: [Int: Subscriptions.Places], lookUps: Int) {
        let live = Subscriptions.live
        let counts = Counters.snapshot()
        var (places, input): ([Int: Subscriptions.Places], InspectorInput) = ([:], InspectorInput(now: now))
        places.reserveCapacity(live.count)
        input.wall = milliseconds()
        // One call for all look-ups, because each call reads the program's file.
        let new = live.filter { known[$0.id] == nil }
        let looked = new.filter { !$0.isInner } + new.filter(\.isInner).prefix(mostInnerLookUps)
        let began = clock()
        let found = Dictionary(uniqueKeysWithValues: zip(looked.map(\.id), Subscriptions.places(of: looked)))
        let lookUps = clock() - began
        input.chains = live.map { each in
            let place = known[each.id] ?? found[each.id]
            places[each.id] = place
            return Chain(
                id: each.id, parent: each.parent, isInner: each.isInner, operators: each.operators,
                age: each.age.inNanoseconds, events: each.events,
                queues: each.queues.map { queue in
                    Queue(
                        boundary: queue.boundary, scheduler: queue.scheduler, depth: max(0, queue.depth),
                        bound: queue.bound, isPausing: queue.isPausing)
                },
                inner: each.innerSubscriptions, innerMade: each.innerSubscriptionsMade,
                innerFailed: each.innerSubscriptionsFailed, cause: each.cause, site: place?.callSite ?? [],
                places: place?.operators ?? [])
        }
        (input.subscriptions, input.events, input.errors) = (counts.subscriptions, counts.events, counts.errors)
        (input.timers, input.isCounting) = (counts.timersPending, Counters.isCounting)
        input.schedulers = counts.schedulers.map { each in
            Scheduler(
                name: each.name, hops: each.hops, depth: each.depth, highWater: each.highWater,
                latency: each.latency.inNanoseconds, longestLatency: each.longestLatency.inNanoseconds)
        }
        input.boundaries = counts.boundaries.map { each in
            Boundary(
                name: each.name, bound: each.bound == .max ? nil : each.bound, live: each.live, depth: each.depth,
                highWater: each.highWater, pauses: each.pauses, drops: each.drops)
        }
        input.limits = limits(Resilience.snapshot())
        (input.stalls, input.failures, input.runaways) = (log.stalls, log.failures, log.runaways)
        (input.retries, input.changes) = (log.retries, log.changes)
        return (input, places, lookUps)
    }

    static func limits(_ snapshot: Resilience.Snapshot) -> [Limit] {
        func fill(_ label: String, _ value: Int, of limit: Int? = nil, isQueue: Bool = false) -> Limit.Fill {
            let most = limit.flatMap { $0 == .max ? nil : Double($0) }
            return Limit.Fill(label: label, value: Double(value), limit: most, isQueue: isQueue)
        }
        var limits = snapshot.circuitBreakers.map { row in
            Limit(
                kind: "breaker", name: row.name, state: label(row.state),
                fills: [fill("calls", row.calls), fill("failed", row.failed), fill("slow", row.slow)])
        }
        limits += snapshot.bulkheads.map { row in
            Limit(
                kind: "bulkhead", name: row.name,
                fills: [
                    fill("running", row.running, of: row.limits.running),
                    fill("waiting", row.waiting, of: row.limits.waiting, isQueue: true),
                ])
        }
        limits += snapshot.rateLimiters.map { row in
            Limit(
                kind: "rate limiter", name: row.name,
                fills: [
                    fill("permits", row.permits, of: row.limits.burst),
                    fill("waiting", row.waiting, of: row.limits.waiting, isQueue: true),
                ])
        }
        limits += snapshot.retryBudgets.map { row in
            Limit(
                kind: "retry budget", name: row.name,
                fills: [Limit.Fill(label: "tokens", value: row.tokens, limit: Double(row.limits.burst))])
        }
        limits += snapshot.intakes.map { row in
            Limit(
                kind: "intake", name: row.name, fills: [fill("unhandled", row.unhandled, of: row.limit, isQueue: true)])
        }
        limits += snapshot.singleFlights.map { row in
            Limit(kind: "single flight", name: row.name, fills: [fill("keys", row.keys)])
        }
        limits += snapshot.drains.map { row in
            Limit(
                kind: "drain", name: row.name, state: row.isStopped ? "stopped" : "running",
                fills: row.running.counts.sorted { $0.key < $1.key }.map { fill($0.key, $0.value) })
        }
        return limits
    }

    private static func label(_ state: CircuitBreaker.State) -> String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half open"
        case .forcedOpen: "forced open"
        case .disabled: "disabled"
        }
    }

    private static func milliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }
}
