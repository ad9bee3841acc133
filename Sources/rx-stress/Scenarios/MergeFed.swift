import RxSwift

struct MergeFed: Scenario {
    static let name = "merge"
    static let summary = "merge and flatMap, each source fed by a thread of its own"

    func round(_ round: Round) {
        let events = 400, threads = round.threads
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let sources = subjects.map { $0.asObservable() }
        let merged =
            switch round.random.below(3) {
            case 0: Observable.merge(sources)
            case 1: Observable.from(sources).flatMap { $0 }
            default: Observable.from(sources).merge(maxConcurrent: threads)
            }
        let probe = round.probe(producers: threads)
        let subscription = probe.watch(merged.staged(&round.random))

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subjects[worker.index].onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
            subjects[worker.index].onCompleted()
        }

        for producer in 0..<threads { probe.count.expect(0..<events, of: producer) }
        round.expect(probe.grammar.hasEnded, "all sources ended, merge did not")
        probe.finish()
        subscription.dispose()
    }
}
