import Glibc
import RxSwift

struct Timers: Scenario {
    static let name = "timers"
    static let summary = "Timers started and cancelled: interval, timer, debounce, throttle"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        let starts = 12
        let scheduler = schedulers.any(&round.random)
        let whole = Locked<[Probe]>([])

        round.run { [violations = round.violations] worker in
            for start in 0..<starts {
                let probe = Probe(producers: 1, label: "observer", violations: violations)
                if start % 3 == 0 {
                    worker.subscribe { _ = probe.watch(Self.ticks(worker, scheduler).take(3)) }
                    whole.withLock { $0.append(probe) }
                } else {
                    worker.visit(probe, Self.random(worker, scheduler)) { usleep(UInt32(worker.random.below(1_500))) }
                }
            }
        }

        for probe in whole.withLock({ $0 }) {
            guard round.settle("the third tick of an interval", until: { probe.grammar.isDisposed }) else { return }
            probe.count.expect(0..<3, of: 0)
            probe.finish()
        }
    }

    private static func ticks(_ worker: Worker, _ scheduler: any SchedulerType) -> Observable<Item> {
        Observable<Int>.interval(.microseconds(50 + worker.random.below(1_000)), scheduler: scheduler).map {
            Item(0, $0)
        }
    }

    private static func random(_ worker: Worker, _ scheduler: any SchedulerType) -> Observable<Item> {
        let ticks = ticks(worker, scheduler), due = RxTimeInterval.microseconds(worker.random.below(1_000))
        switch worker.random.below(4) {
        case 0: return Observable<Int>.timer(due, scheduler: scheduler).map { Item(0, $0) }
        case 1: return ticks.debounce(due, scheduler: scheduler)
        case 2: return ticks.throttle(due, scheduler: scheduler)
        default: return ticks
        }
    }
}
