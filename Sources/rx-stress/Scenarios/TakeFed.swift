import RxSwift

struct TakeFed: Scenario {
    static let name = "take"
    static let summary = "take(n) of events from several threads: n events, one end, no matter which thread is last"

    func round(_ round: Round) {
        let events = 200, threads = round.threads
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let isMerged = round.random.oneIn(2)
        let source = isMerged ? Observable.merge(subjects.map { $0.asObservable() }) : subjects[0].asObservable()
        let wanted = 1 + round.random.below(events * threads)
        let probe = round.probe(producers: threads)
        let subscription = probe.watch(source.take(wanted))

        round.run { [lifetimes = round.lifetimes] worker in
            let subject = isMerged ? subjects[worker.index] : subjects[0]
            for number in 0..<events {
                worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
        }

        round.expect(probe.count.total == wanted, "take(\(wanted)) let \(probe.count.total) events through")
        round.expect(probe.grammar.hasEnded, "take(\(wanted)) did not end")
        for subject in subjects {
            round.expect(!subject.hasObservers, "take has ended and its source is still observed")
        }
        probe.finish()
        subscription.dispose()
    }
}
