import RxSwift

struct FlowValues: Scenario {
    static let name = "flow-values"
    static let summary = "values(buffering:) read slowly by tasks, to the end, left half-way, and cancelled"

    private let schedulers = [Schedulers(), Schedulers()]

    private enum Way: Sendable { case whole, breaks, cancelled }

    func round(_ round: Round) {
        let shapes = FlowShape.linear + FlowShape.junctions + FlowShape.async
        let loops = (0..<(1 + round.random.below(min(4, round.threads)))).map { _ in
            let way = [Way.whole, .whole, .breaks, .cancelled][round.random.below(4)]
            return (way, FlowPipeline(oneOf: shapes, round, schedulers), 1 + round.random.below(16))
        }
        round.run { [violations = round.violations] worker in
            guard worker.index < loops.count else { return }
            let (way, pipeline, bound) = loops[worker.index]
            let task = Task {
                do {
                    var left = way == .breaks ? pipeline.events / 2 : .max
                    for try await item in pipeline.source.values(buffering: .pausing(bound)) {
                        pipeline.take(item)
                        left -= 1
                        if left < 0 { break }
                    }
                    if way == .whole { pipeline.probe.end() }
                } catch {
                    if way != .cancelled || !(error is CancellationError) {
                        violations.record(.outcome, "\(pipeline.label) failed: \(error)")
                    }
                }
                pipeline.probe.grammar.onDisposed()
            }
            if way == .cancelled {
                worker.linger(5_000)
                worker.operation { task.cancel() }
            }
            if Patience.wait(seconds: 90, until: { pipeline.probe.grammar.isDisposed }) {
                if way == .whole {
                    for producer in 0..<pipeline.producers {
                        pipeline.probe.count.expect(0..<pipeline.events, of: producer)
                    }
                    // `values(buffering:)` is one more boundary.
                    pipeline.depth.finish(and: bound + 2)
                }
            } else {
                violations.record(.stall, "values of \(pipeline.label) did not end in 90 s")
                task.cancel()
            }
            worker.operation(events: pipeline.probe.count.total) {}
        }
    }
}
