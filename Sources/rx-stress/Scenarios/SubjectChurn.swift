import RxSwift

struct SubjectChurn: Scenario {
    static let name = "subject-churn"
    static let summary = "Threads push into a subject while other threads subscribe to it and dispose"

    func round(_ round: Round) {
        let producers = max(1, round.threads / 2), events = 200, visits = 40
        let hub = Hub.random(&round.random, producer: producers)
        let lasting = round.probe(producers: producers + 1, "lasting observer")
        let subscription = lasting.watch(hub.source.staged(&round.random))
        let visitors = Locked<[Probe]>([])

        round.run { [lifetimes = round.lifetimes, violations = round.violations] worker in
            if worker.index < producers {
                for number in 0..<events {
                    worker.push { hub.observer.onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            } else {
                let probes = (0..<visits).map { _ in
                    let probe = Probe(producers: producers + 1, label: "visiting observer", violations: violations)
                    worker.visit(probe, hub.source) { worker.linger() }
                    return probe
                }
                visitors.withLock { $0 += probes }
            }
        }

        for producer in 0..<producers { lasting.count.expect(0..<events, of: producer) }
        hub.observer.onCompleted()
        round.expect(lasting.grammar.hasEnded, "the lasting observer did not receive the end")
        lasting.finish()
        subscription.dispose()
        for visitor in visitors.withLock({ $0 }) { visitor.finish() }
    }
}
