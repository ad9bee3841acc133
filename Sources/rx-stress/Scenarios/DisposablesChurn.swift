import RxSwift

struct DisposablesChurn: Scenario {
    static let name = "dispose-bag"
    static let summary = "DisposeBag and similar containers: threads insert while one drops, disposes or replaces them"

    func round(_ round: Round) {
        let inserts = 200
        let slots = Slots()
        let made = Counter(), disposed = Counter(), twice = Counter()

        round.run { worker in
            for _ in 0..<inserts {
                if worker.index == 0 {
                    worker.operation { slots.replaceOne(&worker.random) }
                    worker.linger()
                } else {
                    made.add()
                    let once = Counter()
                    let disposable = Disposables.create {
                        disposed.add()
                        if once.add() != 0 { twice.add() }
                    }
                    worker.subscribe { slots.insert(disposable, &worker.random) }
                }
            }
        }

        slots.empty()
        round.expect(
            made.value == disposed.value, "\(made.value) disposables were inserted, \(disposed.value) disposed")
        round.expect(twice.value == 0, "\(twice.value) disposables were disposed twice")
    }

    /// Containers are read under the lock and used after unlocking, so that another thread may dispose of a container
    /// during an insertion.
    private final class Slots: Sendable {
        private struct Containers {
            var bag = DisposeBag()
            var composite = CompositeDisposable()
            var serial = SerialDisposable()
        }

        private let containers = Locked(Containers())

        func insert(_ disposable: any Disposable, _ random: inout SplitMix64) {
            switch random.below(4) {
            case 0: containers.withLock { $0.serial }.disposable = disposable
            case 1:
                let composite = containers.withLock { $0.composite }
                if let key = composite.insert(disposable), random.oneIn(2) { composite.remove(for: key) }
            default: containers.withLock { $0.bag }.insert(disposable)
            }
        }

        func replaceOne(_ random: inout SplitMix64) {
            switch random.below(3) {
            case 0:
                let old = containers.withLock { containers in swap(&containers.bag, DisposeBag()) }
                withExtendedLifetime(old) {}
            case 1: containers.withLock { containers in swap(&containers.composite, CompositeDisposable()) }.dispose()
            default: containers.withLock { containers in swap(&containers.serial, SerialDisposable()) }.dispose()
            }
        }

        func empty() {
            let last = containers.withLock { containers in swap(&containers, Containers()) }
            last.composite.dispose()
            last.serial.dispose()
        }

        private func swap<Value>(_ place: inout Value, _ new: Value) -> Value {
            let old = place
            place = new
            return old
        }
    }
}
