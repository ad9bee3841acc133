import RxSwift

struct ZipFed: Scenario {
    static let name = "zip"
    static let summary = "zip, each source fed by a thread of its own"

    func round(_ round: Round) {
        let events = 300, threads = round.threads
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let probe = round.probe(producers: 1)
        let violations = round.violations
        let subscription = probe.watch(Observable.zip(subjects.map { $0.asObservable() })) { (row: [Item]) in
            probe.next(Item(0, row[0].number)) {
                if row.contains(where: { $0.number != row[0].number })
                    || row.indices.contains(where: { row[$0].producer != $0 })
                {
                    violations.record(.outcome, "zip joined \(row.map { "\($0.producer):\($0.number)" })")
                }
            }
        }

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subjects[worker.index].onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
            subjects[worker.index].onCompleted()
        }

        probe.count.expect(0..<events, of: 0)
        round.expect(probe.grammar.hasEnded, "all sources ended, zip did not")
        probe.finish()
        subscription.dispose()
    }
}
