internal import CRxCore
public import Dispatch

/// A job that has blocked a scheduler.
public struct Stall: Sendable, CustomStringConvertible {
    /// The label of the scheduler's queue, the name of its thread or the type of its actor.
    public let scheduler: String
    /// The job's running time when the watch found the stall. If the job had ended, its total running time.
    public let duration: RxTimeInterval
    /// The call stack of the subscription whose event the job delivers, innermost call first. Empty if the job belongs
    /// to no subscription, or if the subscription was made before the watch or without
    /// ``Hooks/recordCallStackOnError``.
    public let subscriptionCallStack: [String]
    /// The number of earlier stalls that were not reported, because 64 reports were waiting.
    public let leftOut: Int

    /// The stall as text.
    public var description: String {
        let milliseconds = duration.nanosecondsFromZero / 1_000_000
        var words = "a job has held up \(scheduler) for \(milliseconds) ms"
        if leftOut > 0 { words += ", \(leftOut) earlier \(leftOut == 1 ? "stall was" : "stalls were") not reported" }
        if subscriptionCallStack.isEmpty { return words }
        return "\(words)\nsubscription called from:\n\(subscriptionCallStack.joined(separator: "\n"))"
    }
}

extension Hooks {
    /// Reports jobs that block or compute for longer than `limit`, each at most once.
    ///
    /// ```swift
    /// Hooks.watchForStalls(longerThan: .milliseconds(100)) { stall in logger.warning("\(stall)") }
    /// ```
    ///
    /// The watch covers ``SerialDispatchQueueScheduler``, ``PthreadScheduler``, ``PthreadPoolScheduler`` and
    /// ``ActorScheduler``. For a ``ConcurrentDispatchQueueScheduler``, only deliveries of `observe(on:)` are watched,
    /// not actions. The main queue is watched through ``ActorScheduler/main``, not through ``MainScheduler``.
    ///
    /// A job is one scheduled action. In subscriptions made after this call, each event that `observe(on:)`, `delay` or
    /// a timer delivers is a job of its own. In earlier subscriptions, one job may deliver many events.
    ///
    /// A stall is detected at most a quarter of `limit` late. With ``recordCallStackOnError``, the report contains the
    /// call stack of the subscription.
    ///
    /// A second call replaces the first watch. Any thread may call this function.
    ///
    /// - Parameters:
    ///   - limit: how long a job may run; at least a millisecond.
    ///   - report: called on the watch's own queue, without a lock, for one stall at a time. By default it writes to
    ///     standard error.
    /// - Returns: a disposable that ends the watch. Releasing it has no effect.
    @discardableResult
    public static func watchForStalls(
        longerThan limit: RxTimeInterval, _ report: (@Sendable (Stall) -> Void)? = nil
    ) -> any Disposable {
        StallWatch.begin(limit, report ?? { StandardError.say("\($0)") })
    }
}

/// Guard:
/// - `runs`, `backlog`: each protected by its own lock. No user code runs under these locks.
final class StallWatch: Cancelable, @unchecked Sendable {  // because of the guard above
    private static let latest = Locked<StallWatch?>(nil)

    /// The limit in nanoseconds.
    fileprivate let limit: UInt64
    private let report: @Sendable (Stall) -> Void
    let queue = DispatchQueue(label: "rx.stalls")
    /// Separate from `queue`, because looking up a call stack's names takes longer than the time between two checks.
    let reports = DispatchQueue(label: "rx.stalls.reports")
    private let runs = Locked<[ObjectIdentifier: StallRun]>([:])
    private let backlog = Locked((waiting: 0, leftOut: 0))
    private static let mostWaiting = 64
    private let timer = SingleAssignmentDisposable()

    private init(_ limit: RxTimeInterval, _ report: @escaping @Sendable (Stall) -> Void) {
        self.limit = max(1_000_000, limit.nanosecondsFromZero)
        self.report = report
    }

    fileprivate static func begin(
        _ limit: RxTimeInterval, _ report: @escaping @Sendable (Stall) -> Void
    ) -> StallWatch {
        let watch = StallWatch(limit, report)
        let looks = RxTimeInterval.nanoseconds(Int(clamping: watch.limit / 4))
        // The timer and the watch retain each other until the timer is disposed of.
        watch.timer.setDisposable(
            Timers(.dispatch(watch.queue)).schedule((), after: looks, every: looks) { watch.look() })
        var replaced: StallWatch? = watch
        latest.withLock { latest in
            swap(&latest, &replaced)
            crx_watch_set(CRX_WATCH_STALLS, true)
        }
        replaced?.timer.dispose()
        return watch
    }

    var isDisposed: Bool { timer.isDisposed }

    func dispose() {
        timer.dispose()
        var ended: StallWatch?
        Self.latest.withLock { latest in
            guard latest === self else { return }
            swap(&latest, &ended)
            crx_watch_set(CRX_WATCH_STALLS, false)
        }
        withExtendedLifetime(ended) {}
    }

    /// Creates a ``StallRun`` for a thread that is about to run jobs of a queue; nil if stalls are not watched.
    static func run(_ name: () -> String) -> StallRun? {
        guard let watch = latest.withLock({ $0 }) else { return nil }
        let run = StallRun(watch, name())
        watch.runs.withLock { $0[ObjectIdentifier(run)] = run }
        return run
    }

    fileprivate func end(_ run: StallRun) {
        _ = runs.withLock { $0.removeValue(forKey: ObjectIdentifier(run)) }
    }

    private func look() {
        let now = TimerService.now
        for run in runs.withLock({ Array($0.values) }) {
            if let late = run.late(at: now, after: limit) { tell(late, run) }
        }
    }

    fileprivate func tell(_ late: StallRun.Late, _ run: StallRun) {
        let leftOut = backlog.withLock { backlog -> Int? in
            if backlog.waiting == Self.mostWaiting {
                backlog.leftOut += 1
                return nil
            }
            defer { backlog.leftOut = 0 }
            backlog.waiting += 1
            return backlog.leftOut
        }
        guard let leftOut else { return }
        reports.async { [self] in
            defer { backlog.withLock { $0.waiting -= 1 } }
            if isDisposed { return }
            report(
                Stall(
                    scheduler: run.scheduler, duration: .nanoseconds(Int(clamping: late.duration)),
                    subscriptionCallStack: late.site?.symbols ?? [], leftOut: leftOut))
        }
    }
}

/// Guards:
/// - `state`: protected by its lock. The running thread writes it, and the watch marks a job in it as reported.
/// - `outer`: used only by the running thread.
final class StallRun: @unchecked Sendable {  // because of the guards above
    struct Late {
        let duration: UInt64
        let site: CallSite?
    }

    private struct State {
        /// The job's start; nil if no job runs, or a nested run has replaced this one.
        var began: UInt64?
        var site: CallSite?
        var isReported = false

        mutating func late(at now: UInt64, after limit: UInt64) -> Late? {
            guard let began, !isReported, now >= began, now - began >= limit else { return nil }
            isReported = true
            return Late(duration: now - began, site: site)
        }

        mutating func begin(at now: UInt64?, _ site: CallSite?) {
            began = now
            self.site = site
            isReported = false
        }
    }

    let scheduler: String
    private let watch: StallWatch
    private let state = Locked(State())
    /// The enclosing run on this thread. The current job of `outer` drains the queue of this run, and is no longer
    /// timed.
    private let outer: UnsafeMutableRawPointer?

    init(_ watch: StallWatch, _ scheduler: String) {
        self.watch = watch
        self.scheduler = scheduler
        outer = crx_watch_run()
        if let outer { Self.at(outer).state.withLock { $0.began = nil } }
        crx_watch_set_run(Unretained(self).address)
    }

    func end() {
        crx_watch_set_run(outer)
        watch.end(self)
    }

    private static func at(_ run: UnsafeMutableRawPointer) -> StallRun { Unretained(at: run).object }

    func run(_ job: () -> Void) {
        begin(nil)
        job()
        finish(nil, isLast: true)
    }

    /// Runs a delivery to a subscription. On a watched thread, the delivery is timed as a separate job.
    static func deliver(_ site: CallSite, _ body: () -> Void) {
        guard let run = crx_watch_run().map({ at($0) }), run.state.withLock({ $0.site == nil && $0.began != nil })
        else {
            return body()
        }
        run.finish(site)
        body()
        run.finish(nil)
    }

    private func begin(_ site: CallSite?) {
        let now = TimerService.now
        state.withLock { $0.begin(at: now, site) }
    }

    private func finish(_ site: CallSite?, isLast: Bool = false) {
        let now = TimerService.now
        let late = state.withLock { state in
            defer { state.begin(at: isLast ? nil : now, site) }
            return state.late(at: now, after: watch.limit)
        }
        if let late { watch.tell(late, self) }
    }

    fileprivate func late(at now: UInt64, after limit: UInt64) -> Late? {
        state.withLock { $0.late(at: now, after: limit) }
    }
}
