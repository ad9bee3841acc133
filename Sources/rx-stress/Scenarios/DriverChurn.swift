import RxCocoa

struct DriverChurn: Scenario {
    static let name = "driver-churn"
    static let summary =
        "A driver or signal on a scheduler of its own, while it emits and observers come, go and receive the latest"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        let producers = max(1, round.threads / 2), events = 200, visits = 40
        let subject = PublishSubject<Item>()
        let connects = Counter(), disconnects = Counter()
        let source = subject.do(onSubscribe: { connects.add() }, onDispose: { disconnects.add() })
        let isDriver = round.random.oneIn(2), isChain = round.random.oneIn(2)
        let scheduler = schedulers.any(&round.random)
        var made: (name: String, sequence: Observable<Item>)!
        SharingScheduler.mock(scheduler: scheduler) {
            made = isDriver ? ("driver", driver(source, isChain)) : ("signal", signal(source, isChain))
        }
        let (name, sequence) = made!
        let lasting = round.random.oneIn(2) ? round.probe(producers: producers, "lasting observer of a \(name)") : nil
        let subscription = lasting?.watch(sequence)

        round.run { [violations = round.violations, lifetimes = round.lifetimes] worker in
            if worker.index < producers {
                for number in 0..<events {
                    worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            } else {
                // The numbers of events that visitors receive are not checked, because a delivery may be in progress
                // when a visitor is disposed of.
                for _ in 0..<visits {
                    let probe = Probe(
                        producers: producers, label: "visiting observer of a \(name)", violations: violations)
                    worker.visit(probe, sequence) { worker.linger() }
                }
            }
        }

        subject.onCompleted()
        if let lasting, let subscription {
            round.expect(
                connects.value == 1, "\(name): \(connects.value) connections while one observer stayed all the time")
            if round.settle("the end of a \(name)", until: { lasting.grammar.isDisposed }) {
                for producer in 0..<producers { lasting.count.expect(0..<events, of: producer) }
                lasting.finish()
            }
            subscription.dispose()
        }
        round.settle("the disposal of what the \(name) subscribed to") { connects.value == disconnects.value }
        round.expect(!subject.hasObservers, "\(name): no observer is left, and the source is still connected")
    }

    private func driver(_ source: Observable<Item>, _ isChain: Bool) -> Observable<Item> {
        let driver = source.asDriver(onErrorDriveWith: .empty())
        return (isChain ? driver.map { $0 }.filter { _ in true } : driver).asObservable()
    }

    private func signal(_ source: Observable<Item>, _ isChain: Bool) -> Observable<Item> {
        let signal = source.asSignal(onErrorSignalWith: .empty())
        return (isChain ? signal.map { $0 }.filter { _ in true } : signal).asObservable()
    }
}
