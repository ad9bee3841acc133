import RxSwift
import Synchronization

/// Searches for lost wake-ups. A lost wake-up needs an input that arrives in the few nanoseconds in which the draining
/// thread leaves a gate. So all threads push into one gate for a moment, then into the next. The draining thread of a
/// gate then often leaves it between two pushes. Each thread selects the gate by the clock, so that it need not wait
/// for a suspended thread.
struct GateRace: Scenario {
    static let name = "gate-race"
    static let summary =
        "All threads push into one gate after another while its owner leaves it; every event is delivered"
    // The race needs two threads that run at the same moment. This is rare on a busy machine, so the scenario runs
    // longer.
    static let share = 3.0

    private static let nanoseconds: UInt64 = 20_000_000

    func round(_ round: Round) {
        let threads = round.threads
        let span = UInt64(1_000) << round.random.below(6)
        let pace = 1 << round.random.below(9)
        let gates = (0..<64).map { _ in Gate(threads, round) }
        let start = Start()
        let pushed = Locked(Array(repeating: [Int](), count: threads))

        round.run { worker in
            var mine = Array(repeating: 0, count: gates.count)
            while true {
                let elapsed = start.elapsed()
                guard elapsed < Self.nanoseconds else { break }
                let place = Int(elapsed / span) % gates.count
                worker.push { gates[place].observers[worker.index].onNext(Item(worker.index, mine[place])) }
                mine[place] += 1
                worker.linger(pace)
            }
            pushed.withLock { $0[worker.index] = mine }
        }

        let numbers = pushed.withLock { $0 }
        for (place, gate) in gates.enumerated() { gate.finish(numbers.map { $0[place] }) }
    }

    private final class Start: Sendable {
        private let moment = Atomic<UInt64>(0)

        func elapsed() -> UInt64 {
            let now = Clock.now()
            let begun = moment.load(ordering: .relaxed)
            if begun != 0 { return now < begun ? 0 : now - begun }
            _ = moment.compareExchange(expected: 0, desired: now, ordering: .relaxed)
            return 0
        }
    }

    private final class Gate: @unchecked Sendable {  // because all properties are lets that any thread may use
        let observers: [AnyObserver<Item>]
        private let probe: Probe
        private let subscription: any Disposable

        init(_ threads: Int, _ round: Round) {
            // One more producer than threads, for a behavior subject's initial item.
            probe = round.probe(producers: threads + 1)
            switch round.random.below(4) {
            case 0:
                nonisolated(unsafe) var handed: AnyObserver<Item>!
                subscription = probe.watch(
                    .create { observer in
                        handed = observer
                        return Disposables.create()
                    })
                observers = Array(repeating: handed, count: threads)
            case 1:
                let hubs = (0..<threads).map { _ in Hub(PublishSubject()) }
                subscription = probe.watch(Observable.merge(hubs.map(\.source)))
                observers = hubs.map(\.observer)
            default:
                let hub = Hub.random(&round.random, producer: threads)
                subscription = probe.watch(hub.source)
                observers = Array(repeating: hub.observer, count: threads)
            }
        }

        func finish(_ pushed: [Int]) {
            for (producer, count) in pushed.enumerated() { probe.count.expect(0..<count, of: producer) }
            probe.dispose(subscription)
            probe.finish()
        }
    }
}
