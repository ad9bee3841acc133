import RxSwift

struct ShareChurn: Scenario {
    static let name = "share-churn"
    static let summary = "A shared source connects and disconnects as observers come and go, while it emits"

    func round(_ round: Round) {
        let producers = max(1, round.threads / 2), events = 200, visits = 40
        let subject = PublishSubject<Item>()
        let connects = Counter(), disconnects = Counter()
        let source = Observable<Item>.create { observer in
            connects.add()
            nonisolated(unsafe) let upstream = subject.subscribe(observer)
            return Disposables.create {
                upstream.dispose()
                disconnects.add()
            }
        }
        let (form, shared) =
            switch round.random.below(3) {
            case 0: ("share()", source.share())
            case 1: ("share(replay: 1)", source.share(replay: 1))
            default: ("refCount()", source.publish().refCount())
            }
        let lasting = round.random.oneIn(2) ? round.probe(producers: producers, "lasting observer") : nil
        let subscription = lasting?.watch(shared)
        let visitors = Locked<[Probe]>([])

        round.run { [violations = round.violations, lifetimes = round.lifetimes] worker in
            if worker.index < producers {
                for number in 0..<events {
                    worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            } else {
                let probes = (0..<visits).map { _ in
                    let probe = Probe(
                        producers: producers, label: "visiting observer of \(form)", violations: violations)
                    worker.visit(probe, shared) { worker.linger() }
                    return probe
                }
                visitors.withLock { $0 += probes }
            }
        }

        if let lasting, let subscription {
            round.expect(
                connects.value == 1, "\(form): \(connects.value) connections while one observer stayed all the time")
            for producer in 0..<producers { lasting.count.expect(0..<events, of: producer) }
            lasting.dispose(subscription)
            lasting.finish()
        }
        for visitor in visitors.withLock({ $0 }) { visitor.finish() }
        round.expect(
            connects.value == disconnects.value,
            "\(form): \(connects.value) connections, \(disconnects.value) of them disposed")
        round.expect(!subject.hasObservers, "\(form): no observer is left, and the source is still connected")
    }
}
