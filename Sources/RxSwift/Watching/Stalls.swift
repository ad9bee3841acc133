internal import CRxCore
public import Dispatch

/// A job that has held up a scheduler for longer than a program wants.
public struct Stall: Sendable, CustomStringConvertible {
    /// What the scheduler is called: its queue's label, its thread's name, its actor's type.
    public let scheduler: String
    /// How long the job had run when it was found; all of it, where it ended before anybody looked.
    public let duration: RxTimeInterval
    /// Where the subscription was made whose event it delivers, innermost call first; empty unless
    /// ``Hooks/recordCallStackOnError`` was set then, and where the job is no subscription's.
    public let subscriptionCallStack: [String]
    /// How many stalls came before this one and were left out, because 64 reports waited already.
    public let leftOut: Int

    /// The stall in words.
    public var description: String {
        let milliseconds = duration.nanosecondsFromZero / 1_000_000
        var words = "a job has held up \(scheduler) for \(milliseconds) ms"
        if leftOut > 0 { words += ", and \(leftOut) before it were left out" }
        if subscriptionCallStack.isEmpty { return words }
        return "\(words)\nsubscription called from:\n\(subscriptionCallStack.joined(separator: "\n"))"
    }
}

extension Hooks {
    /// Has each job that runs longer than `limit` reported, once, from now on: something blocks that should not, or a
    /// closure computes for too long.
    ///
    /// ```swift
    /// Hooks.watchForStalls(longerThan: .milliseconds(100)) { stall in logger.warning("\(stall)") }
    /// ```
    ///
    /// Watched are the schedulers that have a queue or threads of their own: ``SerialDispatchQueueScheduler``,
    /// ``PthreadScheduler``, ``PthreadPoolScheduler`` and ``ActorScheduler``; of a ``ConcurrentDispatchQueueScheduler``
    /// what `observe(on:)` delivers there, and no action. The main queue is watched through ``ActorScheduler/main``,
    /// and not through ``MainScheduler``.
    ///
    /// A job is one action; of what is subscribed from now on, it is the delivery of one event by `observe(on:)`,
    /// `delay` or a timer, and with ``recordCallStackOnError`` the report says where that subscription was made. A job
    /// that still runs is found within a quarter more than `limit`. To find the words of its call stack takes up to a
    /// third of a second more where they were not found before. At most 64 reports wait for each other; of what comes
    /// then the next report says how many.
    ///
    /// Off, it costs one test each time that a queue is drained. On, each job reads the clock twice, and a timer looks
    /// four times within `limit`.
    ///
    /// There is one watch at a time: a second call takes over from the first. Any thread may call it.
    ///
    /// - Parameters:
    ///   - limit: how long a job may run; at least a millisecond.
    ///   - report: called on a queue of the watch's own, with no lock held, for one stall after the other. By default
    ///     it writes to standard error.
    /// - Returns: what ends the watch; to drop it does not.
    @discardableResult
    public static func watchForStalls(
        longerThan limit: RxTimeInterval, _ report: (@Sendable (Stall) -> Void)? = nil
    ) -> any Disposable {
        StallWatch.begin(limit, report ?? { StandardError.say("\($0)") })
    }
}

/// The watch for stalls: it looks at all threads that run jobs of watched queues, from time to time.
///
/// - `runs`, `backlog`: each under its lock, which is held in no call-out.
final class StallWatch: Cancelable, @unchecked Sendable {  // because of the guard above
    private static let latest = Locked<StallWatch?>(nil)

    /// In nanoseconds.
    fileprivate let limit: UInt64
    private let report: @Sendable (Stall) -> Void
    /// Where it looks.
    let queue = DispatchQueue(label: "rx.stalls")
    /// Where it reports: to find the words of a call stack takes longer than from one look to the next.
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
        // Until the timer is disposed of it keeps the watch, and the watch the timer.
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

    /// Has the calling thread, which begins to run jobs of a queue, watched; nil while nobody watches.
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

    /// Reports come one after the other, and no thread of a scheduler waits for them.
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

/// A thread that runs the jobs of one watched queue, one after the other.
///
/// - `state`: under its lock; written by that thread, and by the watch, which marks what it reports.
/// - `outer`: the thread's alone.
final class StallRun: @unchecked Sendable {  // because of the guards above
    struct Late {
        let duration: UInt64
        let site: CallSite?
    }

    private struct State {
        /// When the job began; nil where there is none, or another run has taken over.
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
    /// The run within one of whose jobs this one has begun: then that job is a drain, and no stall.
    private let outer: UnsafeMutableRawPointer?

    init(_ watch: StallWatch, _ scheduler: String) {
        self.watch = watch
        self.scheduler = scheduler
        outer = crx_watch_run()
        if let outer { Self.at(outer).state.withLock { $0.began = nil } }
        crx_watch_set_run(Unmanaged.passUnretained(self).toOpaque())
    }

    /// The thread runs no more of the queue's jobs.
    func end() {
        crx_watch_set_run(outer)
        watch.end(self)
    }

    private static func at(_ run: UnsafeMutableRawPointer) -> StallRun {
        Unmanaged<StallRun>.fromOpaque(run).takeUnretainedValue()
    }

    /// Runs a job.
    func run(_ job: () -> Void) {
        begin(nil)
        job()
        finish(nil, isLast: true)
    }

    /// Runs the delivery of an event of a subscription, on whatever thread: by itself, where that is watched.
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

    /// Ends the job, or this part of it, and begins that which comes next.
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
