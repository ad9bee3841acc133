import RxSwift

/// Checks that the observer receives each event. The observer stays subscribed until all threads have been joined.
/// Nothing is pushed afterwards, so that no later event can hide a lost wake-up.
struct ExactFast: Scenario {
    static let name = "exact-fast"
    static let summary = "N threads emit K events each and join; every one has arrived, in order"

    func round(_ round: Round) {
        ExactCounts(events: 2_000, isMerged: round.random.oneIn(2)).run(round) {}
    }
}

struct ExactSlow: Scenario {
    static let name = "exact-slow"
    static let summary = "The same with an observer that takes 1 µs: the number of waiting events stays bounded"

    func round(_ round: Round) {
        // Only the bound of a subject is checked, because a merge has no strict bound. A thread that pushes into a
        // merge already owns the gate of its own subject, so it waits at most 50 µs at the gate of the merge.
        let isMerged = round.random.oneIn(2)
        let bound = isMerged ? nil : BoundCheck(round.violations)
        ExactCounts(events: BoundCheck.enough / round.threads, isMerged: isMerged, bound: bound).run(round) {
            Clock.burn(nanoseconds: 1_000)
        }
    }
}

private struct ExactCounts {
    let events: Int
    let isMerged: Bool
    var bound: BoundCheck?

    func run(_ round: Round, _ inside: @escaping @Sendable () -> Void) {
        let threads = round.threads, events = events, isMerged = isMerged, bound = bound
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let source = isMerged ? Observable.merge(subjects.map { $0.asObservable() }) : subjects[0].asObservable()
        let probe = round.probe(producers: threads)
        let subscription = probe.watch(source.staged(&round.random)) { _ in
            bound?.delivery()
            inside()
        }

        round.run { [lifetimes = round.lifetimes] worker in
            let subject = isMerged ? subjects[worker.index] : subjects[0]
            for number in 0..<events {
                bound?.push()
                worker.push {
                    subject.onNext(Item(worker.index, number, life: number % 8 == 0 ? lifetimes.make() : nil))
                }
            }
        }

        for producer in 0..<threads { probe.count.expect(0..<events, of: producer) }
        bound?.finish()
        probe.dispose(subscription)
        probe.finish()
    }
}
