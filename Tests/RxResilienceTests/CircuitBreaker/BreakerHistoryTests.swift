import RxResilience
import RxTest
import TestSupport
import Testing

struct BreakerHistoryTests {
    @Test(arguments: 0..<10) func breakerMatchesReferenceForRandomHistories(seed: Int) {
        var random = Seeded(UInt64(seed))
        var visited: [CircuitBreaker.State: Int] = [:]
        for history in 0..<1_000 {
            let difference = follow(&random, &visited)
            #expect(difference == nil, "seed \(seed), history \(history): \(difference ?? "")")
            if difference != nil { return }
        }
        for state in [CircuitBreaker.State.closed, .open, .halfOpen, .forcedOpen, .disabled] {
            #expect(visited[state, default: 0] > 200, "\(state) \(visited[state, default: 0])")
        }
    }

    private func follow(_ random: inout Seeded, _ visited: inout [CircuitBreaker.State: Int]) -> String? {
        let size = random.below(2) == 0 ? 1 + random.below(6) : nil
        let rules = BreakerReference.Rules(
            size: size, epoch: 1 + random.below(3), least: 1 + random.below(min(size ?? 5, 5)),
            failureRate: [0.1, 0.3, 0.5, 2.0 / 3, 1, 1][random.below(6)], slowRate: [0.25, 0.5, 1, 1][random.below(4)],
            slowAfter: random.below(4), openFor: random.below(12), trials: 1 + random.below(4))
        let scheduler = TestScheduler(initialClock: 0)
        let breaker = CircuitBreaker(
            "random", window: size.map { .calls($0) } ?? .span(.seconds(10 * rules.epoch)), minimumCalls: rules.least,
            failureRate: rules.failureRate, slowRate: rules.slowRate, slowAfter: .seconds(rules.slowAfter),
            openFor: .seconds(rules.openFor), trials: rules.trials, scheduler: scheduler,
            judging: { $0 as? TestError == .b ? .ignored : .failure })
        var reference = BreakerReference(rules)
        var calls: [(subject: PublishSubject<Int>, subscription: any Disposable, token: (time: Int, changes: Int))] = []
        nonisolated(unsafe) var told: [CircuitBreaker.State] = [], wanted: [CircuitBreaker.State] = [.closed]
        let states = breaker.states.subscribe(onNext: { told.append($0) })
        defer {
            for call in calls { call.subscription.dispose() }
            states.dispose()
        }
        for step in 0..<40 {
            let time = scheduler.clock
            switch random.below(16) {
            case 0..<5:
                let token = reference.begin(at: time)
                let subject = PublishSubject<Int>()
                nonisolated(unsafe) var refusal: CircuitOpen?
                let subscription = subject.guarded(by: breaker).subscribe(onError: { refusal = $0 as? CircuitOpen })
                guard (refusal == nil) == (token != nil) else {
                    return "step \(step): \(refusal.map { "\($0)" } ?? "let in"), the reference is \(reference.state)"
                }
                if let token { calls.append((subject, subscription, token)) }
            case 5..<13 where !calls.isEmpty:
                let call = calls.remove(at: random.below(calls.count))
                switch random.below(7) {
                case 0...1:
                    reference.end(call.token, .success, at: time)
                    call.subject.onCompleted()
                case 2...4:
                    reference.end(call.token, .failure, at: time)
                    call.subject.onError(TestError.a)
                case 5:
                    reference.end(call.token, .nothing, at: time)
                    call.subject.onError(TestError.b)
                default:
                    reference.end(call.token, .nothing, at: time)
                    call.subscription.dispose()
                }
            case 13 where random.below(4) == 0:
                switch random.below(4) {
                case 0:
                    reference.become(.forcedOpen, time)
                    breaker.forceOpen()
                case 1:
                    reference.become(.disabled, time)
                    breaker.disable()
                default:
                    reference.become(.closed, time)
                    breaker.reset()
                }
            default:
                scheduler.sleep(random.below(6))
            }
            visited[breaker.state, default: 0] += 1
            guard breaker.state == reference.state else {
                return "step \(step): \(breaker.state), the reference is \(reference.state)"
            }
            if wanted.last != reference.state { wanted.append(reference.state) }
        }
        // `told` may contain more states than `wanted`, because one step may change the state twice.
        var rest = told[...]
        for state in wanted {
            guard let index = rest.firstIndex(of: state) else { return "told \(told), wanted \(wanted)" }
            rest = rest[(index + 1)...]
        }
        return nil
    }
}
