import Glibc

/// A minimal subject with an optional deliberate fault.
final class ObserverList: @unchecked Sendable {  // because `gate` guards the state; only the fault `noGate` omits it
    enum Fault {
        case none, noGate, loses, repeats, swaps, keepsElements, deliversAfterDispose, deliversAfterEnd, endsTwice,
            disposesTwice
    }

    private let fault: Fault
    private let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var observers: [Probe] = []
    private var inside: (Item) -> Void = { _ in }
    private var delivered = 0
    private var held: Item?
    private var kept: [Item] = []

    init(_ fault: Fault) {
        self.fault = fault
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(gate, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(gate)
        gate.deallocate()
    }

    func subscribe(_ probe: Probe, inside: @escaping (Item) -> Void = { _ in }) {
        gated {
            observers.append(probe)
            self.inside = inside
        }
    }

    func dispose(_ probe: Probe) {
        gated {
            if fault != .deliversAfterDispose { observers.removeAll { $0 === probe } }
        }
        probe.grammar.onDisposed()
        if fault == .disposesTwice { probe.grammar.onDisposed() }
        probe.silence.disposed()
    }

    func emit(_ item: Item) {
        guard fault != .noGate else { return deliver(item) }
        gated {
            delivered += 1
            let odd = delivered % 7 == 0
            switch fault {
            case .loses where odd: break
            case .repeats where odd:
                deliver(item)
                deliver(item)
            case .swaps where odd: held = item
            case .keepsElements:
                deliver(item)
                kept.append(item)
            default: deliver(item)
            }
            if !odd, let late = held {
                held = nil
                deliver(late)
            }
        }
    }

    func end() {
        gated {
            for probe in observers {
                probe.end()
                if fault == .endsTwice { probe.end() }
                if fault == .deliversAfterEnd { probe.touch {} }
            }
        }
    }

    private func deliver(_ item: Item) {
        for probe in observers { probe.next(item) { inside(item) } }
    }

    private func gated(_ body: () -> Void) {
        pthread_mutex_lock(gate)
        body()
        pthread_mutex_unlock(gate)
    }
}
