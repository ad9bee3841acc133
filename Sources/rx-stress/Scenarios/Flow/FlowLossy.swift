import Glibc
import RxSwift

struct FlowLossy: Scenario {
    static let name = "flow-lossy"
    static let summary =
        "Boundaries that drop or fail: each element is delivered or dropped, in order, and no more than the bound live"

    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        let events = 4_000
        // Different bounds, so that the hook for dropped elements can identify the boundary.
        let base = [1, 4, 32][round.random.below(3)]
        let boundaries = (0..<(1 + round.random.below(min(4, round.threads)))).map { index in
            LossyPipeline(base + index, round, schedulers)
        }
        Hooks.droppedElementHandler = { _, buffering, dropped in
            boundaries.first { $0.buffering == buffering }?.drop(dropped)
        }
        defer { Hooks.droppedElementHandler = nil }
        round.run { worker in
            if worker.index < boundaries.count { boundaries[worker.index].run(worker, events) }
        }
        for boundary in boundaries { boundary.finish(events, round) }
    }
}

private final class LossyPipeline: @unchecked Sendable {  // because `subscription` is set before the threads start
    let buffering: Buffering
    private let bound: Int
    private let subject = PublishSubject<Item>()
    private let probe: Probe
    private let lifetimes = Lifetimes()
    private let dropped = Counter()
    private let failures = Counter()
    private let last = Counter()
    private let subscription: any Disposable
    private let violations: Violations

    init(_ bound: Int, _ round: Round, _ schedulers: [Schedulers]) {
        self.bound = bound
        violations = round.violations
        let policies = [Buffering.oldest(bound), .newest(bound), .failing(bound), .pausing(bound)]
        let buffering = policies[round.random.below(4)]
        self.buffering = buffering
        let pace = UInt64([0, 300, 1_000][round.random.below(3)])
        let scheduler = schedulers[round.random.below(2)].any(&round.random)
        probe = round.probe(producers: 1, "observer below \(buffering)")
        subscription = probe.watch(
            subject.observe(on: scheduler, buffering: buffering)
                .do(onError: { [failures, violations] error in
                    failures.add()
                    if case FlowError.overflow(_, bound, _) = error { return }
                    violations.record(.outcome, "\(buffering) failed with \(error)")
                })
        ) { [last] item in
            last.add(item.number - last.value)
            Clock.burn(nanoseconds: pace)
        }
    }

    /// Checks `count`, the reported total of dropped elements.
    func drop(_ count: Int) {
        if dropped.add() + 1 != count { violations.record(.count, "\(buffering) reported drop \(count) out of order") }
    }

    func run(_ worker: Worker, _ events: Int) {
        for number in 0..<events {
            worker.push { subject.onNext(Item(0, number, life: lifetimes.make())) }
            // The limit is `bound` waiting elements, one element in delivery, and one that the draining thread is
            // freeing.
            let alive = lifetimes.count
            if alive > bound + 2 { violations.record(.bound, "\(alive) elements live below \(buffering)") }
            if number % 64 == 0 { worker.linger(4_000) }
        }
        subject.onCompleted()
    }

    func finish(_ events: Int, _ round: Round) {
        guard round.settle("the end of \(buffering)", seconds: 30, until: { probe.grammar.isDisposed }) else { return }
        let total = probe.count.total
        switch buffering {
        case .oldest, .newest:
            round.expect(
                total + dropped.value == events, "\(total) came and \(dropped.value) were dropped of \(events)")
            round.expect(failures.value == 0, "\(buffering) failed")
            if case .newest = buffering { round.expect(last.value == events - 1, "the newest was dropped") }
        default:
            round.expect(dropped.value == 0, "\(buffering) dropped")
            probe.count.finish()
            round.expect(failures.value == 1 || total == events, "\(total) of \(events) came without an error")
            round.expect(total >= min(bound, events), "\(total) came below \(buffering)")
        }
        round.expect(!subject.hasObservers, "\(buffering) has ended, and its source is still observed")
        round.settle("the release of what waited below \(buffering)") { lifetimes.count == 0 }
        probe.grammar.finish()
        subscription.dispose()
    }
}
