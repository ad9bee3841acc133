import RxSwift

struct RandomGraphs: Scenario {
    static let name = "graphs"
    static let summary = "Random graphs of operators: every thread pushes, listens to any node, and disposes"

    /// Subscribes a probe to a node. The self-test passes faulty functions.
    typealias Watch = @Sendable (Probe, Graph, _ node: Int) -> any Disposable

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        Self.run(round, schedulers) { probe, graph, node in
            probe.watch(graph.nodes[node].source, each: { _ in probe.touch {} })
        }
    }

    static func run(_ round: Round, _ schedulers: Schedulers, _ watch: @escaping Watch) {
        let steps = 300
        let graph = Graph(&round.random, schedulers)
        let ends = round.random.oneIn(2)
        let watched = Locked<[Listener]>([])
        round.run { [violations = round.violations, lifetimes = round.lifetimes] worker in
            var mine: [Listener] = []
            for number in 0..<steps {
                switch worker.random.below(20) {
                case 0 where mine.count(where: \.isListening) < 3, _ where number == 0:
                    let listener = Listener(graph, worker.random.below(graph.nodes.count), violations)
                    worker.subscribe { listener.listen(graph, watch) }
                    mine.append(listener)
                case 1:
                    if let listener = mine.randomElement(using: &worker.random) { worker.operation { listener.stop() } }
                case 2 where ends && worker.random.oneIn(20):
                    let root = graph.roots[worker.random.below(graph.roots.count)]
                    worker.operation { worker.random.oneIn(2) ? root.onCompleted() : root.onError(RxError.unknown) }
                default:
                    let root = graph.roots[worker.random.below(graph.roots.count)]
                    worker.push { root.onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            }
            watched.withLock { $0 += mine }
        }
        let listeners = watched.withLock { $0 }
        for listener in listeners.dropFirst(listeners.count / 2) { listener.stop() }
        for root in graph.roots { root.onCompleted() }
        for listener in listeners { listener.stop() }
        for listener in listeners {
            round.settle("the disposal of \(listener.label)") { listener.probe.grammar.isDisposed }
            listener.probe.finish()
        }
        round.settle("the disposal of subscriptions to the subjects") { graph.roots.allSatisfy { !$0.hasObservers } }
    }

    /// A probe at a node. During `round.run`, only the thread that made it uses it; afterwards, only the caller of
    /// `round.run`.
    private final class Listener: @unchecked Sendable {  // because `round.run` synchronises with the thread
        let probe: Probe
        let label: String
        private let node: Int
        private var subscription: (any Disposable)?

        init(_ graph: Graph, _ node: Int, _ violations: Violations) {
            self.node = node
            label = "the observer of node \(node), \(graph.nodes[node].name)"
            probe = Probe(producers: 0, label: label, violations: violations)
        }

        var isListening: Bool { subscription != nil }

        func listen(_ graph: Graph, _ watch: Watch) {
            subscription = watch(probe, graph, node)
        }

        func stop() {
            if let subscription { probe.dispose(subscription) }
            subscription = nil
        }
    }
}
