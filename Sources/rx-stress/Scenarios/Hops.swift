import Dispatch
import RxSwift

struct Hops: Scenario {
    static let name = "hops"
    static let summary =
        "observe(on:) and subscribe(on:) over serial, concurrent, thread and actor schedulers, whole and disposed half-way"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        switch round.random.below(3) {
        case 0: deliverAll(round)
        case 1: disposeHalfway(round)
        default: subscribeElsewhere(round)
        }
    }

    private func deliverAll(_ round: Round) {
        let events = 300, threads = round.threads
        let subject = PublishSubject<Item>()
        let probe = round.probe(producers: threads)
        let subscription = probe.watch(subject.observe(on: schedulers.any(&round.random)).staged(&round.random))
        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
        }
        subject.onCompleted()
        // onDisposed comes last; after it, the counts may be read.
        if round.settle("the end of observe(on:)", until: { probe.grammar.isDisposed }) {
            for producer in 0..<threads { probe.count.expect(0..<events, of: producer) }
            probe.finish()
        }
        subscription.dispose()
    }

    private func disposeHalfway(_ round: Round) {
        let producers = max(1, round.threads / 2), events = 200, visits = 20
        let subject = PublishSubject<Item>()
        let hop = subject.observe(on: schedulers.any(&round.random))
        round.run { [violations = round.violations, lifetimes = round.lifetimes] worker in
            if worker.index < producers {
                for number in 0..<events {
                    worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
                }
            } else {
                for _ in 0..<visits {
                    let probe = Probe(producers: producers, label: "visiting observer", violations: violations)
                    worker.visit(probe, hop) { worker.linger(1_000) }
                    if !probe.grammar.isDisposed {
                        violations.record(.grammar, "onDisposed had not run when dispose returned")
                    }
                }
            }
        }
        round.expect(!subject.hasObservers, "all were disposed, and the source is still observed")
    }

    private func subscribeElsewhere(_ round: Round) {
        let visits = 20
        let scheduler = schedulers.any(&round.random)
        let started = Counter(), torn = Counter()
        let source = Observable<Item>.create { observer in
            started.add()
            for number in 0..<5 { observer.onNext(Item(0, number)) }
            observer.onCompleted()
            return Disposables.create { torn.add() }
        }.subscribe(on: scheduler)
        let lasting = Locked<[Probe]>([])
        round.run { [violations = round.violations] worker in
            for visit in 0..<visits {
                let probe = Probe(producers: 1, label: "observer", violations: violations)
                if visit % 2 == 0 {
                    worker.visit(probe, source) { worker.linger(1_000) }
                } else {
                    worker.subscribe { _ = probe.watch(source) }
                    lasting.withLock { $0.append(probe) }
                }
            }
        }
        for probe in lasting.withLock({ $0 }) {
            guard round.settle("the end of subscribe(on:)", until: { probe.grammar.isDisposed }) else { return }
            probe.count.expect(0..<5, of: 0)
            probe.finish()
        }
        round.settle("the disposal of what subscribe(on:) started") { started.value == torn.value }
    }
}
