import Dispatch
import Glibc
import RxSwift

struct Timeouts: Scenario {
    static let name = "timeouts"
    static let summary =
        "Timeouts started, reset and cancelled from all threads: nothing early, nothing after a cancel, none lost"

    private let schedulers = Schedulers()

    func round(_ round: Round) {
        let timeouts = 200
        let scheduler = schedulers.any(&round.random)
        let whole = Locked<[TimeoutCheck]>([])
        round.run { [violations = round.violations] worker in
            for _ in 0..<timeouts {
                let check = TimeoutCheck("timeout", violations)
                let span = worker.random.below(2_000)
                var timer: (any Disposable)?
                worker.operation { timer = Self.start(check, span, scheduler) }
                switch worker.random.below(3) {
                case 0:
                    worker.linger(1_000)
                    worker.operation {
                        timer?.dispose()
                        check.cancelled()
                    }
                case 1:
                    // A reset, as in `timeout` and `debounce`.
                    let next = TimeoutCheck("timeout after a reset", violations)
                    worker.operation {
                        timer?.dispose()
                        check.cancelled()
                        _ = Self.start(next, span, scheduler)
                    }
                    whole.withLock { $0.append(next) }
                default:
                    whole.withLock { $0.append(check) }
                }
            }
        }
        for check in whole.withLock({ $0 }) {
            _ = Patience.wait(seconds: 10) { check.hasFired }
            check.finish()
        }
    }

    private static func start(_ check: TimeoutCheck, _ span: Int, _ scheduler: any SchedulerType) -> any Disposable {
        check.start(due: Clock.now() &+ UInt64(span) * 1_000)
        return scheduler.scheduleRelative(check, dueTime: .microseconds(span)) { check in
            check.fire(at: Clock.now())
            return Disposables.create()
        }
    }
}
