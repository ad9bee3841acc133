import Glibc
import RxSwift

struct LateCreate: Scenario {
    static let name = "late-create"
    static let summary =
        "create's closure returns its disposable late, while another thread ends, cuts or replaces the chain"

    func round(_ round: Round) {
        let races = 64
        let pairs = Pairs(round)

        round.run { [violations = round.violations] worker in
            pairs.run(worker) { pair, isFirst in
                for race in 0..<races {
                    let race = pair.exchange(isFirst) { Race(violations, kind: race % 6) }
                    if isFirst {
                        worker.subscribe { race.subscribe { worker.linger(100) } }
                    } else {
                        worker.operation { race.cut { worker.linger(100) } }
                    }
                    pair.meet()
                    if isFirst { race.finish() }
                }
            }
        }
    }

    // @unchecked Sendable because all properties are lets that any thread may use.
    private final class Race: @unchecked Sendable {
        private let kind: Int
        private let violations: Violations
        private let probe: Probe
        private let handed = Locked<AnyObserver<Item>?>(nil)
        private let teardowns = Counter()
        private let outer = PublishSubject<Observable<Item>>()
        private let subject = PublishSubject<Item>()
        private let serial = SerialDisposable()
        private let single = SingleAssignmentDisposable()

        init(_ violations: Violations, kind: Int) {
            self.kind = kind
            self.violations = violations
            probe = Probe(producers: 1, label: "observer", violations: violations)
        }

        func subscribe(late: @escaping @Sendable () -> Void) {
            let source = Observable<Item>.create { [handed, teardowns] observer in
                handed.withLock { $0 = observer }
                late()
                return Disposables.create { teardowns.add() }
            }
            switch kind {
            case 0: single.setDisposable(probe.watch(source))
            case 1: serial.disposable = probe.watch(source.take(1))
            case 2, 3:
                single.setDisposable(probe.watch(outer.flatMapLatest { $0 }))
                outer.onNext(source)
            case 4:
                // The chain may be disposed of before `deferred` returns its subject.
                let late = Observable<Item>.deferred { [subject, handed] in
                    handed.withLock { $0 = AnyObserver(subject) }
                    late()
                    return subject
                }
                teardowns.add()  // this kind has no teardown
                single.setDisposable(probe.watch(outer.flatMapLatest { $0 }))
                outer.onNext(late)
            default: serial.disposable = probe.watch(source)
            }
        }

        func cut(late: () -> Void) {
            var observer: AnyObserver<Item>?
            while observer == nil {
                sched_yield()
                observer = handed.withLock { slot in
                    defer { slot = nil }
                    return slot
                }
            }
            late()
            switch kind {
            case 0: observer?.onCompleted()
            case 1: observer?.onNext(Item(0, 0))  // `take(1)` ends here
            case 2: outer.onNext(.never())
            case 3, 4: single.dispose()
            default: serial.dispose()
            }
        }

        func finish() {
            if kind == 2 {
                // `never` has replaced the inner chain; the outer chain still exists.
                check()
                single.dispose()
            } else {
                single.dispose()
                serial.dispose()
                check()
            }
            probe.grammar.finish()
        }

        private func check() {
            if subject.hasObservers {
                violations.record(.outcome, "the chain is disposed, and its source is still observed")
            }
            let count = teardowns.value
            if count != 1 {
                violations.record(.outcome, "create's disposable was disposed \(count) times, wanted once")
            }
        }
    }
}
