import Glibc
import RxSwift

struct FlowLinear: Scenario {
    static let name = "flow-linear"
    static let summary =
        "Bounded hops and delays in a row, to observers up to 100 times slower: exact counts, order, depth"

    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        FlowPipeline.runSideBySide(FlowShape.linear, round, schedulers)
    }
}

struct FlowJunctions: Scenario {
    static let name = "flow-junctions"
    static let summary =
        "Bounded merges, flatMaps, zips and concatenations: sources pause and resume in turn; none stays paused"
    static let share = 2.0

    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        FlowPipeline.runSideBySide(FlowShape.junctions, round, schedulers)
    }
}

struct FlowAsync: Scenario {
    static let name = "flow-async"
    static let summary = "Tasks and callbacks send into a bounded pipeline: no resume is lost"

    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        FlowPipeline.runSideBySide(FlowShape.async, round, schedulers)
    }
}

extension FlowPipeline {
    fileprivate static func runSideBySide(_ shapes: [FlowShape], _ round: Round, _ schedulers: [Schedulers]) {
        let count = round.random.oneIn(2) ? 1 : 1 + round.random.below(min(4, round.threads))
        let pipelines = (0..<count).map { _ in FlowPipeline(oneOf: shapes, round, schedulers) }
        round.run { worker in
            if worker.index < count { pipelines[worker.index].run(worker) }
        }
    }
}

struct FlowDispose: Scenario {
    static let name = "flow-dispose"
    static let summary = "Bounded pipelines disposed of while they pause and resume: silence, and nothing stays alive"

    private let schedulers = [Schedulers(), Schedulers()]

    func round(_ round: Round) {
        let pipelines = (0..<(1 + round.random.below(min(4, round.threads)))).map { _ in
            (0..<4).map { _ in FlowPipeline(oneOf: FlowShape.all, round, schedulers, events: 80_000) }
        }
        round.run { worker in
            guard worker.index < pipelines.count else { return }
            for pipeline in pipelines[worker.index] {
                var subscription: (any Disposable)?
                worker.subscribe { subscription = pipeline.subscribe() }
                if worker.random.oneIn(2) { usleep(UInt32(worker.random.below(300))) } else { worker.linger(5_000) }
                worker.operation {
                    if let subscription { pipeline.probe.dispose(subscription) }
                }
                pipeline.probe.grammar.finish()
            }
        }
    }
}

struct FlowLong: Scenario {
    static let name = "flow-long"
    static let summary =
        "Ten million elements, or what the time allows, to an observer 100 times slower: memory stays flat"

    private static let most = 10_000_000
    private let schedulers = [Schedulers()]
    private let rounds = Counter()

    func round(_ round: Round) {
        // The number of elements doubles with each round, up to ten million.
        let index = rounds.add()
        let shape = FlowShape.all[index % FlowShape.all.count]
        let events = min(Self.most, 20_000 << min(index, 9)) / shape.producers
        let pipeline = FlowPipeline(
            shape, events: events, bound: 64 << (index % 3), pace: 1_000, round, schedulers)
        round.run { [violations = round.violations] worker in
            guard worker.index == 0 else { return }
            var flatness = FlatnessCheck(violations, sanitized: Sanitizer.allCases.contains { $0.isLoaded })
            var subscription: (any Disposable)?
            worker.subscribe { subscription = pipeline.subscribe() }
            var (before, stalls) = (0, 0)
            while !pipeline.probe.grammar.isDisposed && stalls < 2_000 {
                usleep(10_000)
                let delivered = pipeline.depth.deliveries
                worker.operation(events: delivered - before) {
                    flatness.rest(bytes: ProcessFacts.residentBytes(), descriptors: 0)
                }
                stalls = delivered == before ? stalls + 1 : 0
                before = delivered
            }
            if pipeline.probe.grammar.isDisposed {
                pipeline.finish()
                flatness.finish()
            } else {
                violations.record(.stall, "\(pipeline.label) is stuck at \(before) of \(events)")
            }
            subscription?.dispose()
        }
    }
}
