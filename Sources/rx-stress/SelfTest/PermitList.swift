import Synchronization

/// Permits for calls that never wait, with an optional deliberate fault.
final class PermitList: Sendable {
    enum Fault {
        case none, keepsWhatIsDisposedOf, givesBackTwice, letsOneMoreIn
    }

    let available: Atomic<Int>
    private let fault: Fault
    private let check: PermitCheck

    init(_ fault: Fault, limit: Int, _ check: PermitCheck) {
        self.fault = fault
        self.check = check
        available = Atomic(limit)
    }

    func call() -> PermitCheck.Call? {
        let free = available.subtract(1, ordering: .acquiringAndReleasing).newValue
        if free < (fault == .letsOneMoreIn ? -1 : 0) {
            available.add(1, ordering: .acquiringAndReleasing)
            return nil
        }
        return check.begin()
    }

    func end(_ call: PermitCheck.Call, isDisposed: Bool) {
        call.end()
        if fault == .keepsWhatIsDisposedOf && isDisposed { return }
        available.add(fault == .givesBackTwice && isDisposed ? 2 : 1, ordering: .acquiringAndReleasing)
    }
}
