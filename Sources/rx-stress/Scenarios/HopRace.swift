import RxSwift

/// An element that arrives while a job of `observe(on:)` is ending requires another job. To hit that moment, the time
/// between elements is about a job's duration.
struct HopRace: Scenario {
    static let name = "hop-race"
    static let summary =
        "observe(on:) receives elements at the moment its queue becomes empty; none is lost, and the end comes last"
    // The share is that of `GateRace`, for the same reason.
    static let share = 3.0

    // Two schedulers of each kind, so that some chains share a queue.
    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        let events = 400
        let pushers = round.random.oneIn(2) ? 1 : 1 + round.random.below(round.threads)
        let pace = 256 << round.random.below(6)
        let subjects = (0..<pushers).map { _ in PublishSubject<Item>() }
        let probes = subjects.map { _ in round.probe(producers: 1) }
        let subscriptions = zip(subjects, probes).map { subject, probe in
            let scheduler = schedulers[round.random.below(2)].any(&round.random)
            return probe.watch(subject.observe(on: scheduler).staged(&round.random))
        }

        round.run { [lifetimes = round.lifetimes] worker in
            guard worker.index < pushers else { return }
            for number in 0..<events {
                worker.push {
                    subjects[worker.index].onNext(Item(0, number, life: number % 8 == 0 ? lifetimes.make() : nil))
                }
                worker.linger(pace)
            }
            subjects[worker.index].onCompleted()
        }

        for (probe, subscription) in zip(probes, subscriptions) {
            guard round.settle("the end of observe(on:)", until: { probe.grammar.isDisposed }) else { return }
            probe.count.expect(0..<events, of: 0)
            probe.finish()
            subscription.dispose()
        }
    }
}
