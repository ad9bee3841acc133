internal import CRxCore

/// The part of a subscription in which sources can be paused: everything above a ``ObservableType/bounded(_:)`` or
/// above a boundary that pauses. It is passed upstream while chains are assembled. Outside a scope no flow control is
/// set up.
@usableFromInline
final class FlowScope: Sendable {
    /// The default policy of the boundaries in the scope; nil leaves them unbounded.
    let buffering: Buffering?
    /// The place where paused sources resume.
    let resumeScheduler: ResumeScheduler
    /// The policy passed to the stage directly above; it overrides the scope's.
    let own: Buffering?

    init(_ buffering: Buffering?, resumeScheduler: ResumeScheduler, own: Buffering? = nil) {
        self.buffering = buffering
        self.resumeScheduler = resumeScheduler
        self.own = own
    }

    /// The same scope without the policy of the stage directly above.
    var above: FlowScope {
        own == nil ? self : FlowScope(buffering, resumeScheduler: resumeScheduler)
    }
}

/// A scheduler that runs all of its actions on the thread that advances its clock.
protocol VirtualScheduler {}

extension VirtualTimeScheduler: VirtualScheduler {}

extension SubscribeContext {
    /// Sets the source of the chain. In a scope, the source is notified when the chain pauses and resumes.
    func feed(fromListening source: any Upstream) {
        if isInScope { crx_pause_set_listening(lifetime.chain) }
        feed(from: source)
    }

    /// Whether the chain is in a scope of flow control.
    @usableFromInline
    var isInScope: Bool { scope != nil }

    /// The number of elements of a primary source that may wait in a coordinator before the source is paused.
    var boundOfPrimarySources: Int {
        if case .pausing(let bound)? = scope.flatMap({ $0.own ?? $0.buffering }) { bound } else { .max }
    }

    /// The policy of a boundary, or nil if the boundary is unbounded.
    ///
    /// In a scope even an unbounded boundary pauses: it delivers nothing while the chain below is paused, and the chain
    /// above it is in the scope as well.
    ///
    /// - Parameter own: the policy passed to the boundary's operator. It overrides the scope's policy.
    @usableFromInline
    func bounds(_ own: Buffering?) -> Buffering? {
        let buffering = own ?? scope?.buffering ?? Hooks.bounds
        if let buffering, buffering != .unbounded { return buffering }
        return isInScope ? .pausing(.max) : nil
    }
}

/// A scheduler, as the place where a paused source or drain resumes.
@usableFromInline
final class ResumeScheduler: @unchecked Sendable {  // immutable; any thread may use a scheduler
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    /// The scheduler's own queue, if it has one.
    @usableFromInline
    let queue: JobQueue?

    /// Whether it is a scheduler in virtual time, which must not advance for a resume.
    private let isVirtual: Bool

    @usableFromInline
    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        queue = (scheduler as? any BatchingScheduler)?.jobQueue
        isVirtual = queue == nil && scheduler is any VirtualScheduler
    }

    /// The default where no closer scheduler is known: a global queue, except in tests with their own time.
    static var global: ResumeScheduler { WorkExecutor.scheduler.get().map { ResumeScheduler($0) } ?? queues }

    private static let queues = ResumeScheduler(ConcurrentDispatchQueueScheduler(qos: .default))

    /// Whether both are the same scheduler, and it has no queue of its own.
    func isSame(as other: ResumeScheduler) -> Bool {
        queue == nil && scheduler as AnyObject === other.scheduler as AnyObject
    }

    /// The maximum number of elements that a drain delivers in a turn. It is 1 if the queue is shared with other work
    /// or time is virtual, and is limited so that other chains on the scheduler do not wait long.
    @usableFromInline
    func budget(_ bound: Int) -> Int { queue == nil ? 1 : min(max(16, bound), 256) }

    /// Queues a paused job on the scheduler, because any thread may resume it. In virtual time it runs as part of the
    /// current action if possible, because time must not advance.
    func wake(_ job: FlowJob) {
        if isVirtual { resume(job) } else { enqueue(job) }
    }

    /// Queues a job for its next turn, on the scheduler's queue. If it has none and a trampoline runs on
    /// this thread, it uses that trampoline. Called by the current turn.
    func resume(_ job: FlowJob) {
        if queue == nil && Trampoline.isRunning { Trampoline.enqueue(job) } else { enqueue(job) }
    }

    /// Queues a job on the scheduler. Its turns repeat as long as it returns true.
    @usableFromInline
    func enqueue(_ job: FlowJob) {
        if let queue { return queue.enqueue(job) }
        _ = scheduler.scheduleRecursive(job) { job, recurse in
            if job.turn() { recurse(job) }
        }
    }
}

/// A job that can pause and resume: a source's loop, a boundary's drain, or a list of sources to resume in turn.
@usableFromInline
class FlowJob: ScheduledJob, @unchecked Sendable {  // because of its superclass's guards; subclasses name theirs
    /// Does part of the work; true if the job must be queued again. After false, the job may already run on another
    /// thread. The function captures nothing, so that specialised code stays specialised.
    @usableFromInline
    typealias Turn = (FlowJob) -> Bool

    @usableFromInline
    let body: Turn
    /// The place where the job resumes.
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

/// The consequences of a change of a chain's level: sources to notify, and jobs to run after the current turn. The
/// sources are notified in a loop, so that deeply nested chains need no recursion.
///
/// Only its thread uses it. Sources are notified with no lock held. They run no user code, with one exception: a
/// boundary of `CurrentThreadScheduler` on this thread delivers its waiting elements.
@usableFromInline
struct PauseWorklist {
    /// The scheduler of the turn that runs on this thread; nil if none runs.
    private let resumeScheduler: ResumeScheduler?
    private var notified: [ChainLifetime] = []
    private var due: [FlowJob] = []
    private var woken: [FlowJob] = []
    private var gone: [ChainLifetime] = []

    @usableFromInline
    init(turnOf resumeScheduler: ResumeScheduler?) {
        self.resumeScheduler = resumeScheduler
    }

    /// Pauses or resumes a chain because of the room below it. May be called under a list's lock: the source is
    /// notified later.
    mutating func setFull(_ isFull: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_full(lifetime.chain, isFull) { notified.append(lifetime) }
    }

    /// Pauses or resumes a chain with the chain below it. May be called under a list's lock.
    mutating func setHeld(_ isHeld: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_held(lifetime.chain, isHeld) { notified.append(lifetime) }
    }

    /// Notifies the source of a chain whose word the caller has changed, which returned that a notification is due.
    mutating func notifies(_ lifetime: ChainLifetime) { notified.append(lifetime) }

    /// Notifies the source of a chain if the chain has been paused before it had the source.
    mutating func add(_ lifetime: ChainLifetime) {
        if crx_pause_change(lifetime.chain, 0, 0) { notified.append(lifetime) }
    }

    /// Counts an event of a chain that must wait in the gate which the chain feeds. `limit` such events pause the
    /// source.
    mutating func inputWaits(in lifetime: ChainLifetime, limit: UInt32) {
        if crx_pause_input_waits(lifetime.chain, limit) { notified.append(lifetime) }
    }

    /// Counts such an event as handled.
    mutating func inputHasWaited(in lifetime: ChainLifetime) {
        if crx_pause_input_has_waited(lifetime.chain) { notified.append(lifetime) }
    }

    /// Whether a chain has been disposed of. If so, it is retained until the worklist is freed, so that it is not
    /// released under the lock of its list.
    mutating func keepsGone(_ lifetime: ChainLifetime) -> Bool {
        guard lifetime.isDisposed else { return false }
        gone.append(lifetime)
        return true
    }

    /// Takes a job that resumes, from a notified source. If its resumeScheduler is the resumeScheduler of the current
    /// turn and has no queue of its own, the job runs after the turn, in the same action. Otherwise it is queued after
    /// all sources have been notified, because a scheduler may run it at once, and its elements may pause the chain
    /// again, unseen by the notifying thread.
    mutating func queue(_ job: FlowJob) {
        if let resumeScheduler, job.resumeScheduler.isSame(as: resumeScheduler) {
            due.append(job)
        } else {
            woken.append(job)
        }
    }

    /// Notifies all sources, including those added by these notifications; then queues the resumed jobs. No lock is
    /// held.
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

    /// Runs the jobs due at the end of the turn. It must be the turn's last call.
    @usableFromInline
    func finish() {
        for job in due { Trampoline.enqueue(job) }
    }
}
