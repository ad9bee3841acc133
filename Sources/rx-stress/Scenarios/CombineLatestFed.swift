import RxSwift

struct CombineLatestFed: Scenario {
    static let name = "combine-latest"
    static let summary = "combineLatest, each source fed by a thread of its own"

    func round(_ round: Round) {
        let events = 300, threads = round.threads
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let probe = round.probe(producers: threads)
        let rows = Rows(round.violations)
        let subscription = probe.watch(Observable.combineLatest(subjects.map { $0.asObservable() })) { (row: [Item]) in
            probe.touch { rows.next(row.map(\.number)) }
        }

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subjects[worker.index].onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
            subjects[worker.index].onCompleted()
        }

        round.expect(rows.last == Array(repeating: events - 1, count: threads), "the last row was \(rows.last)")
        round.expect(probe.grammar.hasEnded, "all sources ended, combineLatest did not")
        probe.finish()
        subscription.dispose()
    }

    /// Checks that each result differs from the previous result in exactly one number, which is greater by one.
    private final class Rows: @unchecked Sendable {  // because the serial delivery under test guards `last`
        private(set) var last: [Int] = []
        private let violations: Violations

        init(_ violations: Violations) {
            self.violations = violations
        }

        func next(_ row: [Int]) {
            defer { last = row }
            guard !last.isEmpty else { return }
            let steps = zip(row, last).map { $0 - $1 }
            if !(steps.allSatisfy { $0 == 0 || $0 == 1 } && steps.reduce(0, +) == 1) {
                violations.record(.outcome, "combineLatest went from \(last) to \(row)")
            }
        }
    }
}
