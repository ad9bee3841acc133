import Synchronization

/// What was pushed and is not delivered yet stays below a bound, however slow the observer.
///
/// The gate makes pushers wait from 1 024 waiting events on, though not for ever: while the kernel keeps the delivering thread off the
/// processor, each of them gets in up to 64 events a 50 µs. So the bound grows with the time for which nothing was delivered.
final class BoundCheck: Sendable {
    private let pushed = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let peak = Atomic<Int>(0)
    private let lastDelivery = Atomic<UInt64>(0)
    private let parkedNanoseconds = Atomic<UInt64>(0)
    private let pushers: Int
    private let violations: Violations

    private static let limit = 4_096
    private static let shortestPark: UInt64 = 50_000

    init(pushers: Int, _ violations: Violations) {
        self.pushers = pushers
        self.violations = violations
    }

    func push() {
        pushed.add(1, ordering: .relaxed)
    }

    func delivery() {
        let now = Clock.now()
        let gap = now &- lastDelivery.exchange(now, ordering: .relaxed)
        if gap > Self.shortestPark && gap < now { parkedNanoseconds.add(gap, ordering: .relaxed) }
        let waiting = pushed.load(ordering: .relaxed) - delivered.add(1, ordering: .relaxed).newValue
        if waiting > peak.load(ordering: .relaxed) { peak.store(waiting, ordering: .relaxed) }
    }

    /// At rest.
    func finish(_ what: String) {
        let most = peak.load(ordering: .relaxed), parked = parkedNanoseconds.load(ordering: .relaxed)
        let limit = Self.limit + pushers * Int(parked) * 64 / 50_000
        guard most > limit else { return }
        violations.record(
            .bound, "\(what): \(most) events waited at once, more than \(limit) (nothing was delivered for \(parked / 1_000) µs in all)")
    }
}
