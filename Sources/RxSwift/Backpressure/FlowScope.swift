internal import CRxCore

/// The part of a subscription with flow control: above ``ObservableType/bounded(_:)`` or above a boundary that pauses.
@usableFromInline
final class FlowScope: Sendable {
    /// The default policy; nil leaves the boundaries in the scope unbounded.
    let buffering: Buffering?
    let resumeScheduler: ResumeScheduler
    /// The policy that overrides `buffering`, only for the stage directly above.
    let own: Buffering?

    init(_ buffering: Buffering?, resumeScheduler: ResumeScheduler, own: Buffering? = nil) {
        self.buffering = buffering
        self.resumeScheduler = resumeScheduler
        self.own = own
    }

    var above: FlowScope {
        own == nil ? self : FlowScope(buffering, resumeScheduler: resumeScheduler)
    }
}

/// A scheduler that runs all of its actions on the thread that advances its clock.
protocol VirtualScheduler {}

extension VirtualTimeScheduler: VirtualScheduler {}

extension SubscribeContext {
    /// Feeds the chain from `source`. In a scope, `source` is notified of pauses and resumes.
    func feed(fromListening source: any Upstream) {
        listen()
        feed(from: source)
    }

    /// Like ``feed(fromListening:)``, for a source that is set later.
    func listen() {
        if isInScope { crx_pause_set_listening(lifetime.chain) }
    }

    @usableFromInline
    var isInScope: Bool { scope != nil }

    var resumeScheduler: ResumeScheduler { scope?.resumeScheduler ?? .global }

    func scope(on scheduler: any ImmediateSchedulerType) -> FlowScope? {
        scope.map { FlowScope($0.buffering, resumeScheduler: ResumeScheduler(scheduler)) }
    }

    mutating func enterScope(_ buffering: Buffering?, own: Buffering? = nil) {
        scope = FlowScope(buffering, resumeScheduler: resumeScheduler, own: own)
    }

    /// The number of elements of a primary source (see ``SourceRole``) that may wait in a coordinator.
    var boundOfPrimarySources: Int {
        if case .pausing(let bound)? = scope.flatMap({ $0.own ?? $0.buffering }) { bound } else { .max }
    }

    /// The policy of a boundary: `own`, else the scope's, else ``Hooks/defaultBuffering``; nil for an unbounded
    /// boundary outside a scope.
    ///
    /// In a scope, an unbounded boundary gets the policy `.pausing(.max)`, so that it delivers nothing while the chain
    /// below is paused.
    @usableFromInline
    func bounds(_ own: Buffering?) -> Buffering? {
        let buffering = own ?? scope?.buffering ?? Hooks.bounds
        if let buffering, buffering != .unbounded { return buffering }
        return isInScope ? .pausing(.max) : nil
    }
}

@usableFromInline
final class ResumeScheduler: @unchecked Sendable {  // immutable; any thread may use a scheduler
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    @usableFromInline
    let queue: JobQueue?

    /// Whether time is virtual. A resume must not advance virtual time.
    private let isVirtual: Bool

    @usableFromInline
    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        queue = (scheduler as? any BatchingScheduler)?.jobQueue
        isVirtual = queue == nil && scheduler is any VirtualScheduler
    }

    /// A global queue or, in tests with virtual time, the scheduler of the test. Each access returns a new
    /// object with its own job queue, so a job that blocks delays no other subscription.
    static var global: ResumeScheduler { ResumeScheduler(WorkExecutor.scheduler.get() ?? queues) }

    private static let queues = ConcurrentDispatchQueueScheduler(qos: .default)

    func isSame(as other: ResumeScheduler) -> Bool {
        queue == nil && scheduler as AnyObject === other.scheduler as AnyObject
    }

    /// The maximum number of elements that a drain delivers in one turn, so that other chains on the scheduler also
    /// run; 1 if the scheduler has no queue of its own.
    @usableFromInline
    func budget(_ bound: Int) -> Int { queue == nil ? 1 : min(max(16, bound), 256) }

    /// Queues a job that is not running. Any thread may call this. If time is virtual, the job may join this thread's
    /// trampoline, to run in the current action of the test's scheduler.
    func wake(_ job: FlowJob) {
        if isVirtual { resume(job) } else { enqueue(job) }
    }

    /// Queues a job for its next turn. Called by the current turn. If the scheduler has no queue of its own and a
    /// trampoline runs on this thread, the job joins the trampoline.
    func resume(_ job: FlowJob) {
        if queue == nil && Trampoline.isRunning { Trampoline.enqueue(job) } else { enqueue(job) }
    }

    @usableFromInline
    func enqueue(_ job: FlowJob) {
        if let queue { return queue.enqueue(job) }
        _ = scheduler.scheduleRecursive(job) { job, recurse in
            if job.turn() { recurse(job) }
        }
    }
}

/// A job that can pause and resume: a source's loop, a boundary's drain, or a list of sources to resume in turn. One
/// run is a *turn*.
@usableFromInline
class FlowJob: ScheduledJob, @unchecked Sendable {  // see the guards of its superclass and subclasses
    /// Returns true if the job must be queued again. If it returns false, the job may already run on another thread.
    /// The closure captures nothing, so that the compiler can specialise it.
    @usableFromInline
    typealias Turn = (FlowJob) -> Bool

    @usableFromInline
    let body: Turn
    @usableFromInline
    let resumeScheduler: ResumeScheduler

    @inlinable
    init(resumeScheduler: ResumeScheduler, turn: @escaping Turn) {
        body = turn
        self.resumeScheduler = resumeScheduler
        super.init()
    }

    @usableFromInline
    final func turn() -> Bool { body(self) }

    @usableFromInline
    override func run() {
        if turn() { resumeScheduler.resume(self) }
    }
}

/// The work that follows when a chain pauses or resumes: sources to notify, and jobs to run after the current turn. A
/// loop notifies the sources, so deeply nested chains need no recursion.
///
/// Only the thread that created the worklist uses it. No lock is held while sources are notified. A notified source
/// runs no user code, with two exceptions: a boundary of `CurrentThreadScheduler` on this thread delivers its waiting
/// elements, and a source for tests (`Observable.listening(on:_:)`) calls its closure.
@usableFromInline
struct PauseWorklist {
    /// The scheduler on which the creator of this worklist runs; nil if not given.
    private let resumeScheduler: ResumeScheduler?
    private var notified: [ChainLifetime] = []
    private var due: [FlowJob] = []
    private var woken: [FlowJob] = []
    private var gone: [ChainLifetime] = []

    @usableFromInline
    init(turnOf resumeScheduler: ResumeScheduler?) {
        self.resumeScheduler = resumeScheduler
    }

    /// If `isFull` is true, pauses a chain, because a queue below is full. Otherwise resumes the chain. ``notifyAll()``
    /// notifies the source later, so the caller may hold the lock of an ``InnerChains``.
    mutating func setFull(_ isFull: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_full(lifetime.chain, isFull) { notified.append(lifetime) }
    }

    /// Like ``setFull(_:_:)``, for a chain that pauses because the chain below is paused.
    mutating func setHeld(_ isHeld: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_held(lifetime.chain, isHeld) { notified.append(lifetime) }
    }

    /// Adds a chain whose word the caller has changed.
    mutating func notifies(_ lifetime: ChainLifetime) { notified.append(lifetime) }

    /// Called if a chain was paused before its source was set. Adds the chain if its source must be notified.
    mutating func add(_ lifetime: ChainLifetime) {
        if crx_pause_change(lifetime.chain, 0, 0) { notified.append(lifetime) }
    }

    /// Counts an event that is about to wait in a gate. At `limit` events, the source pauses.
    mutating func inputWaits(in lifetime: ChainLifetime, limit: UInt32) {
        if crx_pause_input_waits(lifetime.chain, limit) { notified.append(lifetime) }
    }

    mutating func inputHasWaited(in lifetime: ChainLifetime) {
        if crx_pause_input_has_waited(lifetime.chain) { notified.append(lifetime) }
    }

    /// If the chain has been disposed of, retains it and returns true, so that the caller does not free it under the
    /// lock of an ``InnerChains``.
    mutating func keepsGone(_ lifetime: ChainLifetime) -> Bool {
        guard lifetime.isDisposed else { return false }
        gone.append(lifetime)
        return true
    }

    /// Adds the job of a notified source. If the job's scheduler is also the scheduler of the current turn and has no
    /// queue of its own, the job runs after the turn, in the same action. Otherwise the job is queued after all sources
    /// have been notified. If the job ran earlier, its elements could pause the chain again during the notification.
    mutating func queue(_ job: FlowJob) {
        if let resumeScheduler, job.resumeScheduler.isSame(as: resumeScheduler) {
            due.append(job)
        } else {
            woken.append(job)
        }
    }

    /// Notifies all sources, including those that a notification adds, then queues the resumed jobs.
    @usableFromInline
    mutating func notifyAll() {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        var next = 0
        while next < notified.count {
            notified[next].notifySource(&self)
            next += 1
        }
        notified.removeAll()
        let woken = woken
        self.woken.removeAll()
        for job in woken { job.resumeScheduler.wake(job) }
    }

    /// Enqueues the jobs that run after the turn, on this thread's trampoline. Must be the turn's last call.
    @usableFromInline
    func finish() {
        for job in due { Trampoline.enqueue(job) }
    }
}
