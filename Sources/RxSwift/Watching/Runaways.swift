internal import CRxCore
public import Dispatch

/// A subscription that has got out of hand.
public struct Runaway: Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Fault: Sendable, Equatable {
        /// `retry` subscribes again and again, and its source fails at once: so often within the time.
        case endlessRetry(attempts: Int)
        /// `flatMap` or `merge` has so many inner sequences at once, and ever more.
        case unlimitedInner(alive: Int)
        /// What it delivers comes back to it, again and again: so many elements within the time.
        case loop(elements: Int)
    }

    /// What is wrong.
    public let fault: Fault
    /// The subscription; of a loop, one of those that it passes.
    public let subscription: LiveSubscription
    /// The program's own subscription that it feeds in the end, where it is an inner one, and that is listed.
    public let outer: LiveSubscription?
    /// How long it had gone on when it was found.
    public let duration: RxTimeInterval

    /// The fault in words, with where the subscription was made: the program's own, which ``subscription`` is or feeds.
    public var description: String {
        let milliseconds = duration.nanosecondsFromZero / 1_000_000
        let words =
            switch fault {
            case .endlessRetry(let attempts): "has tried again \(attempts) times in \(milliseconds) ms, without a pause"
            case .unlimitedInner(let alive):
                "has \(alive) inner sequences at once, and ever more for \(milliseconds) ms"
            case .loop(let elements): "sends to itself: \(elements) elements in \(milliseconds) ms"
            }
        let feeds = outer.map { "\nit feeds \($0)" } ?? ""
        let site = (outer ?? subscription).callSite.prefix(12).map { "\n    at \($0)" }.joined()
        return "\(subscription) \(words)\(feeds)\(site)"
    }
}

extension Hooks {
    /// Has subscriptions that get out of hand named, each once, from now on: an endless `retry` of what fails at once,
    /// a `flatMap` whose inner sequences pile up, elements that run in a circle.
    ///
    /// ```swift
    /// Hooks.watchForRunaways { runaway in logger.error("\(runaway)") }
    /// ```
    ///
    /// It lists subscriptions (``Subscriptions/areListed``) and looks at them four times within the time. Named is what
    /// does it at each look for all of that time: 1 000 attempts within it; 1 000 inner sequences at once, and more at
    /// each look; 1 000 elements within it that an `observe(on:)` has taken from the very subscriptions to which they
    /// lead. A circle without a hop nests, and is found by ``warnsOfDeepNesting``.
    ///
    /// There is one watch at a time: a second call takes over from the first. Any thread may call it.
    ///
    /// - Parameters:
    ///   - time: how long it has to go on; at least 4 milliseconds.
    ///   - report: called on a queue of the watch's own, with no lock held. By default it writes to standard error.
    /// - Returns: what ends the watch; to drop it does not, and subscriptions stay listed.
    @discardableResult
    public static func watchForRunaways(
        within time: RxTimeInterval = .seconds(1), _ report: (@Sendable (Runaway) -> Void)? = nil
    ) -> any Disposable {
        RunawayWatch.begin(time, report ?? { StandardError.say("\($0)") })
    }
}

/// The watch for runaways.
///
/// - `latest`: under its lock, which is held in no call-out.
/// - `known`: its timer's queue alone touches it.
private final class RunawayWatch: Cancelable, @unchecked Sendable {  // because of the guards above
    /// What was seen of one subscription at each look, the latest last.
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
        // Until the timer is disposed of it keeps the watch, and the watch the timer.
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

    /// Whether causes lead from a subscription back to itself.
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
