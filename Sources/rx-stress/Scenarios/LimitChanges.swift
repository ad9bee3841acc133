import RxResilience
import RxSwift

struct LimitChanges: Scenario {
    static let name = "limits"
    static let summary = "Limits change while calls begin, wait and leave: no permit and no accepted element is lost"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        switch round.random.below(3) {
        case 0: bulkhead(round)
        case 1: limiter(round)
        default: intake(round)
        }
    }

    private func bulkhead(_ round: Round) {
        let most = 4
        let bulkhead = Bulkhead(most, waiting: 2 * round.threads, name: "soak")
        let check = PermitCheck(limit: most, "bulkhead with changing limits", round.violations)
        let pairs = Pairs(round)
        round.run { [threads = round.threads] worker in
            pairs.race(worker, check, calls: 60) { source in
                let waiting = worker.random.below(2 * threads)
                try? bulkhead.setLimits(Bulkhead.Limits(running: 1 + worker.random.below(most), waiting: waiting))
                return source.admitted(by: bulkhead)
            }
        }
        round.expect(bulkhead.waiting == 0, "\(bulkhead.waiting) calls wait for nothing")
        let last = 1 + round.random.below(most)
        try? bulkhead.setLimits(Bulkhead.Limits(running: last))
        round.expect(bulkhead.available == last, "\(bulkhead.available) of \(last) permits are available")
        try? bulkhead.setLimits(Bulkhead.Limits(running: most))
        check.finish(available: bulkhead.available)
    }

    /// Checks that every call begins unless it is disposed of, even if the rate changes while the call waits.
    private func limiter(_ round: Round) {
        let limiter = RateLimiter(1, per: .nanoseconds(30_000), scheduler: schedulers.any(&round.random))
        let owed = Counter(), answered = Counter()
        round.run { worker in
            var subscriptions: [any Disposable] = []
            let call = Observable<Int>.empty().limited(by: limiter)
            for number in 0..<60 {
                if number % 3 == 0 {
                    owed.add()
                    worker.subscribe { _ = call.subscribe(onCompleted: { answered.add() }) }
                } else {
                    worker.subscribe { subscriptions.append(call.subscribe()) }
                }
                let span = 5_000 + worker.random.below(50_000)
                let limits = RateLimiter.Limits(calls: 1, per: .nanoseconds(span), burst: 1 + worker.random.below(4))
                worker.operation { try? limiter.setLimits(limits) }
                if number % 2 == 0, !subscriptions.isEmpty {
                    worker.operation { subscriptions.removeFirst().dispose() }
                }
            }
            for subscription in subscriptions { worker.operation { subscription.dispose() } }
        }
        round.settle("the turn of all waiting calls") { answered.value == owed.value }
        round.expect(limiter.waiting == 0, "\(limiter.waiting) calls wait for nothing")
    }

    private func intake(_ round: Round) {
        let most = 16
        let intake = Intake<Int>(atMost: most, name: "soak"), drain = Drain()
        let scheduler = schedulers.any(&round.random)
        let accepted = Counter(), handled = Counter(), completed = Counter()
        let running = intake.handling(until: drain, atMost: 4) { number in
            number % 2 == 0
                ? .just(number) : Single<Int>.timer(.microseconds(5), scheduler: scheduler)
        }
        .subscribe(onNext: { _ in handled.add() }, onCompleted: { completed.add() })
        round.run { [violations = round.violations] worker in
            for number in 0..<60 {
                worker.operation { try? intake.setLimit(1 + worker.random.below(most)) }
                worker.push { if intake.offer(number).isAccepted { accepted.add() } }
                let unhandled = intake.unhandled
                if unhandled > most { violations.record(.bound, "\(unhandled) elements are unhandled, of \(most)") }
                worker.linger(100)
                if number == 50, worker.index == 0 { worker.operation { drain.stop() } }
            }
        }
        round.settle("the completion of the drained pipeline") { completed.value == 1 }
        round.expect(handled.value == accepted.value, "\(accepted.value) were accepted, \(handled.value) handled")
        round.expect(intake.unhandled == 0, "\(intake.unhandled) elements are left")
        running.dispose()
    }
}
