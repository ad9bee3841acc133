import Glibc
import RxSwift

/// A bounded pipeline with a slow observer. Checks that no element is lost, that each source's order is kept, and that
/// no more elements are in progress than the bounds permit.
final class FlowPipeline: Sendable {
    let label: String
    let events: Int
    let producers: Int
    let probe: Probe
    let depth: BoundCheck
    let source: Observable<Item>
    private let pace: UInt64
    private let violations: Violations

    /// Each source sends `events` events. The observer takes `pace` nanoseconds for an element.
    init(
        _ shape: FlowShape, events: Int, bound: Int, pace: UInt64, _ round: Round, _ schedulers: [Schedulers],
        bounded: (Observable<Item>, Int) -> Observable<Item> = { $0.bounded($1) }
    ) {
        label = "\(shape.name), bound \(bound)"
        self.events = events
        self.pace = pace
        producers = shape.producers
        violations = round.violations
        probe = round.probe(producers: producers, "observer of \(label)")
        depth = BoundCheck(violations, limit: shape.limit(bound), label)
        var sources = FlowSources(
            events: events, depth: depth, lifetimes: round.lifetimes, violations: violations, schedulers: schedulers,
            random: round.random.forked(round.random.next()))
        source = bounded(shape.make(&sources), bound)
    }

    convenience init(
        oneOf shapes: [FlowShape], _ round: Round, _ schedulers: [Schedulers], events: Int = 8_000
    ) {
        let shape = shapes[round.random.below(shapes.count)]
        let bound = [1, 2, 3, 4, 8, 16, 64][round.random.below(7)]
        // With a small bound, the system switches threads every few elements, so fewer events are sent.
        let events = (bound < 8 ? events / 4 : events) / shape.weight / shape.producers
        let pace = [0, 0, 300, 1_000][round.random.below(4)]
        self.init(shape, events: max(1, events), bound: bound, pace: UInt64(pace), round, schedulers)
    }

    func take(_ item: Item) {
        probe.next(item) {
            depth.delivery()
            if pace > 0 { Clock.burn(nanoseconds: pace) }
        }
    }

    func subscribe() -> any Disposable {
        let told = source.do(onError: { [violations, label] error in
            violations.record(.outcome, "\(label) failed: \(error)")
        })
        return probe.watch(told) { [self] _ in
            depth.delivery()
            if pace > 0 { Clock.burn(nanoseconds: pace) }
        }
    }

    func run(_ worker: Worker, patience: Double = 90) {
        var subscription: (any Disposable)?
        worker.subscribe { subscription = subscribe() }
        if Patience.wait(seconds: patience, until: { probe.grammar.isDisposed }) {
            finish()
        } else {
            violations.record(.stall, "\(label) did not end in \(Int(patience)) s")
        }
        worker.operation(events: events * producers) { subscription?.dispose() }
    }

    func finish() {
        for producer in 0..<producers { probe.count.expect(0..<events, of: producer) }
        depth.finish()
        probe.finish()
    }
}
