internal import CRxCore
public import Dispatch

/// A subscription that loops or grows without limit.
public struct Runaway: Sendable, CustomStringConvertible {
    /// The kind of fault.
    public enum Fault: Sendable, Equatable {
        /// `retry` resubscribes without a delay: `attempts` times in ``duration``.
        case endlessRetry(attempts: Int)
        /// `flatMap` or `merge` has a growing number of inner sequences, now `alive`.
        case unlimitedInner(alive: Int)
        /// The subscription sends to itself: `elements` elements in ``duration``.
        case loop(elements: Int)
    }

    /// The fault.
    public let fault: Fault
    /// The faulty subscription, or a subscription of the loop.
    public let subscription: LiveSubscription
    /// If ``subscription`` is an inner one, the program's own subscription that it feeds. Nil if that subscription is
    /// not listed, or if ``subscription`` is the program's own.
    public let outer: LiveSubscription?
    /// The time over which the fault was observed.
    public let duration: RxTimeInterval

    /// The fault as text, with a call site.
    public var description: String {
        let milliseconds = duration.nanosecondsFromZero / 1_000_000
        let words =
            switch fault {
            case .endlessRetry(let attempts): "has retried \(attempts) times in \(milliseconds) ms without a delay"
            case .unlimitedInner(let alive):
                "has \(alive) inner sequences at once, and their number has grown for \(milliseconds) ms"
            case .loop(let elements): "sends to itself: \(elements) elements in \(milliseconds) ms"
            }
        let feeds = outer.map { "\nit feeds \($0)" } ?? ""
        let site = (outer ?? subscription).callSite.prefix(12).map { "\n    at \($0)" }.joined()
        return "\(subscription) \(words)\(feeds)\(site)"
    }
}

extension Hooks {
    /// Reports subscriptions that loop or grow without limit, each at most once.
    ///
    /// ```swift
    /// Hooks.watchForRunaways { runaway in logger.error("\(runaway)") }
    /// ```
    ///
    /// The watch sets ``Subscriptions/areListed`` and checks all subscriptions four times within `time`. It reports a
    /// fault that all four checks find:
    /// - 1 000 attempts of a `retry` within `time`;
    /// - 1 000 inner sequences of a `flatMap` or `merge` at once, with a higher number at each check;
    /// - 1 000 elements delivered within `time` by a subscription that feeds itself: its deliveries send elements,
    ///   directly or indirectly, to its own `observe(on:)`. (Without a scheduler boundary, ``warnsOfDeepNesting`` finds
    ///   the loop.)
    ///
    /// A second call replaces the first watch. Any thread may call this function.
    ///
    /// - Parameters:
    ///   - time: how long the fault has to last; at least 4 milliseconds.
    ///   - report: called on the watch's own queue, without a lock. By default it writes to standard error.
    /// - Returns: a disposable that ends the watch. Releasing it has no effect. Subscriptions stay listed.
    @discardableResult
    public static func watchForRunaways(
        within time: RxTimeInterval = .seconds(1), _ report: (@Sendable (Runaway) -> Void)? = nil
    ) -> any Disposable {
        RunawayWatch.begin(time, report ?? { StandardError.say("\($0)") })
    }
}

/// Guards:
/// - `latest`: protected by its lock. No user code runs under the lock.
/// - `known`: used only on the timer's queue.
private final class RunawayWatch: Cancelable, @unchecked Sendable {  // because of the guards above
    private struct Seen {
        var made: [Int] = []
        var alive: [Int] = []
        var events: [Int] = []
        var isTold = false
    }

    private static let latest = Locked<RunawayWatch?>(nil)
    private static let looks = 4
    private static let many = 1_000

    private let time: RxTimeInterval
    private let report: @Sendable (Runaway) -> Void
    private let queue = DispatchQueue(label: "rx.runaways")
    private let timer = SingleAssignmentDisposable()
    private var known: [Int: Seen] = [:]

    private init(_ time: RxTimeInterval, _ report: @escaping @Sendable (Runaway) -> Void) {
        self.time = .nanoseconds(Int(clamping: max(4_000_000, time.nanosecondsFromZero)))
        self.report = report
    }

    static func begin(_ time: RxTimeInterval, _ report: @escaping @Sendable (Runaway) -> Void) -> RunawayWatch {
        let watch = RunawayWatch(time, report)
        let every = RxTimeInterval.nanoseconds(Int(clamping: watch.time.nanosecondsFromZero) / looks)
        Subscriptions.areListed = true
        // The timer and the watch retain each other until the timer is disposed of.
        watch.timer.setDisposable(
            Timers(.dispatch(watch.queue)).schedule((), after: every, every: every) { watch.look() })
        var replaced: RunawayWatch? = watch
        latest.withLock { swap(&$0, &replaced) }
        replaced?.timer.dispose()
        return watch
    }

    var isDisposed: Bool { timer.isDisposed }

    func dispose() {
        timer.dispose()
        var ended: RunawayWatch?
        Self.latest.withLock { latest in
            guard latest === self else { return }
            swap(&latest, &ended)
        }
        withExtendedLifetime(ended) {}
    }

    private func look() {
        let records = SubscriptionRecord.all
        let causes = records.reduce(into: [:]) { causes, record in causes[record.id] = record.cause }
        var next: [Int: Seen] = [:]
        for record in records where record.innerMade > 0 || causes[record.id] != nil {
            var seen = known[record.id] ?? Seen()
            seen.made = (seen.made + [record.innerMade]).suffix(Self.looks + 1)
            seen.alive = (seen.alive + [record.innerAlive]).suffix(Self.looks + 1)
            seen.events = (seen.events + [record.delivered]).suffix(Self.looks + 1)
            if !seen.isTold, let runaway = runaway(record, seen, causes) {
                if isDisposed { return }
                seen.isTold = true
                report(runaway)
            }
            next[record.id] = seen
        }
        known = next
    }

    private func runaway(_ record: SubscriptionRecord, _ seen: Seen, _ causes: [Int: Int]) -> Runaway? {
        guard seen.made.count == Self.looks + 1 else { return nil }
        func found(_ fault: Runaway.Fault) -> Runaway {
            Runaway(fault: fault, subscription: record.snapshot, outer: record.outermost?.snapshot, duration: time)
        }
        let made = seen.made[Self.looks] - seen.made[0]
        if made >= Self.many && grows(seen.made) {
            let runaway = found(.endlessRetry(attempts: made))
            if runaway.subscription.operators.first?.hasPrefix("retry") == true { return runaway }
        }
        if seen.alive[0] >= Self.many && grows(seen.alive) { return found(.unlimitedInner(alive: record.innerAlive)) }
        let elements = seen.events[Self.looks] - seen.events[0]
        guard elements >= Self.many && grows(seen.events) && isInCircle(record.id, causes) else { return nil }
        return found(.loop(elements: elements))
    }

    private func grows(_ counts: [Int]) -> Bool { zip(counts, counts.dropFirst()).allSatisfy(<) }

    private func isInCircle(_ id: Int, _ causes: [Int: Int]) -> Bool {
        var cause = causes[id]
        for _ in causes {
            guard let present = cause else { return false }
            if present == id { return true }
            cause = causes[present]
        }
        return false
    }
}
