import RxResilience
import RxSwift

struct LimiterChurn: Scenario {
    static let name = "limiter"
    static let summary = "Calls wait for a rate limiter or leave it: the others are admitted, no faster than the rate"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        // An interval short enough for a round, and long enough that most calls must wait.
        let interval = 30_000, burst = 1 + round.random.below(4)
        let start = Clock.now()
        let limiter = RateLimiter(
            1, per: .nanoseconds(interval), burst: burst, scheduler: schedulers.any(&round.random))
        let owed = Counter(), begun = Counter(), answered = Counter()

        round.run { [violations = round.violations] worker in
            var subscriptions: [any Disposable] = []
            let source = Observable<Int>.create { observer in
                let number = begun.add() + 1
                let most = burst + Int(Clock.now() &- start) / interval + 1
                if number > most { violations.record(.bound, "\(number) calls began, \(most) were allowed") }
                observer.onCompleted()
                return Disposables.create()
            }
            .limited(by: limiter)
            for number in 0..<60 {
                if number % 3 == 0 {
                    owed.add()
                    worker.subscribe { _ = source.subscribe(onCompleted: { answered.add() }) }
                } else {
                    worker.subscribe { subscriptions.append(source.subscribe()) }
                }
                worker.linger(100)
                if number % 2 == 0, !subscriptions.isEmpty {
                    worker.operation { subscriptions.removeFirst().dispose() }
                }
            }
            for subscription in subscriptions { worker.operation { subscription.dispose() } }
        }

        round.settle("the turn of all waiting calls") { answered.value == owed.value }
        round.expect(limiter.waiting == 0, "\(limiter.waiting) calls wait for nothing")
    }
}
