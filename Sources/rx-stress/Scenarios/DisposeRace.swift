import RxSwift

struct DisposeRace: Scenario {
    static let name = "dispose-race"
    static let summary = "A chain is disposed while another thread pushes into it and ends it"

    func round(_ round: Round) {
        let races = 64
        let pairs = Pairs(round)

        round.run { [violations = round.violations, lifetimes = round.lifetimes] worker in
            pairs.run(worker) { pair, isFirst in
                for race in 0..<races {
                    let chain = pair.exchange(isFirst) { Chain(violations, fails: race % 2 == 0, stages: race % 3) }
                    if isFirst {
                        for number in 0..<(1 + race % 4) {
                            worker.push { chain.subject.onNext(Item(0, number, life: lifetimes.make())) }
                        }
                        chain.end()
                    } else {
                        worker.linger(400)
                        worker.subscribe { chain.dispose() }
                    }
                    pair.meet()
                    if isFirst { chain.finish() }
                }
            }
        }
    }

    private final class Chain: Sendable {
        let subject = PublishSubject<Item>()
        private let inside: Probe
        private let probe: Probe
        private let subscription: any Disposable & Sendable
        private let fails: Bool

        init(_ violations: Violations, fails: Bool, stages: Int) {
            self.fails = fails
            let inside = Probe(producers: 1, label: "closure inside the chain", violations: violations)
            probe = Probe(producers: 1, label: "observer", violations: violations)
            self.inside = inside
            let watched: Observable<Item> = subject.map { item in
                inside.next(item)
                return item
            }
            let source =
                switch stages {
                case 0: watched
                case 1: watched.filter { _ in true }
                default: watched.scan(Item(0, 0)) { $1 }.skip(0).map { $0 }
                }
            subscription = Subscription(probe.watch(source))
        }

        func end() {
            if fails { subject.onError(Failure()) } else { subject.onCompleted() }
        }

        func dispose() {
            subscription.dispose()
            probe.silence.disposed()
            inside.silence.disposed()
        }

        func finish() {
            probe.finish()
            inside.count.finish()
        }
    }
}

struct Failure: Error {}

/// A disposable that threads pass to each other.
// @unchecked Sendable because only `dispose` is called, and any thread may call it.
struct Subscription: Disposable, @unchecked Sendable {
    private let inner: any Disposable

    init(_ inner: any Disposable) {
        self.inner = inner
    }

    func dispose() {
        inner.dispose()
    }
}
