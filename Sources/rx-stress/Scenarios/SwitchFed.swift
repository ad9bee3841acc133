import RxSwift
import Synchronization

struct SwitchFed: Scenario {
    static let name = "flat-map-latest"
    static let summary = "flatMapLatest switches on one thread while other threads feed the inner sources"

    func round(_ round: Round) {
        let switches = 60, threads = round.threads
        let outer = PublishSubject<Int>()
        let inners = (0..<switches).map { _ in PublishSubject<Item>() }
        let probe = round.probe(producers: threads)
        let newest = Newest(round.violations)
        let flat = outer.flatMapLatest { index in inners[index].map { (index, $0) } }
        // Events between switches have no receiver, so the count is not checked.
        let subscription = probe.watch(flat) { index, item in
            probe.touch {
                probe.order.next(item)
                newest.next(index)
            }
        }
        let current = Counter()
        outer.onNext(0)

        round.run { [lifetimes = round.lifetimes] worker in
            if worker.index == 0 {
                for index in 1..<switches {
                    worker.operation { outer.onNext(index) }
                    current.add()
                    worker.linger(2_000)
                }
            } else {
                for number in 0..<(switches * 20) {
                    worker.push { inners[current.value].onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            }
        }

        let seen = newest.count
        inners[switches - 1].onNext(Item(0, 0))
        round.expect(newest.count == seen + 1 && newest.index == switches - 1, "the newest source is not heard")
        outer.onCompleted()
        round.expect(!probe.grammar.hasEnded, "flatMapLatest ended before its newest source")
        inners[switches - 1].onCompleted()
        round.expect(probe.grammar.hasEnded, "all sources ended, flatMapLatest did not")
        for (index, inner) in inners.enumerated() {
            round.expect(!inner.hasObservers, "source \(index) is still observed")
        }
        probe.grammar.finish()
        subscription.dispose()
    }

    private final class Newest: @unchecked Sendable {  // because the serial delivery under test guards both
        private(set) var index = 0
        private(set) var count = 0
        private let violations: Violations

        init(_ violations: Violations) {
            self.violations = violations
        }

        func next(_ index: Int) {
            if index < self.index {
                violations.record(.outcome, "source \(index) was heard after source \(self.index)")
            }
            self.index = index
            count += 1
        }
    }
}
