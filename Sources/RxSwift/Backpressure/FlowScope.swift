internal import CRxCore

/// The part of a subscription in which sources can be paused: everything above a ``ObservableType/bounded(_:)`` or
/// above a boundary that pauses. Outside a scope no flow control is set up.
@usableFromInline
final class FlowScope: Sendable {
    /// The default policy of the boundaries in the scope; nil leaves them unbounded.
    let buffering: Buffering?
    let resumeScheduler: ResumeScheduler
    /// The policy passed to the stage directly above; it overrides the scope's.
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
    /// Sets the source of the chain. In a scope, the source is notified when the chain pauses and resumes.
    func feed(fromListening source: any Upstream) {
        listen()
        feed(from: source)
    }

    /// In a scope: requests that the chain's source, once set, is notified when the chain pauses and resumes.
    func listen() {
        if isInScope { crx_pause_set_listening(lifetime.chain) }
    }

    @usableFromInline
    var isInScope: Bool { scope != nil }

    /// The scheduler on which the sources above resume.
    var resumeScheduler: ResumeScheduler { scope?.resumeScheduler ?? .global }

    /// The scope of sources that are subscribed to on `scheduler`, and resume there.
    func scope(on scheduler: any ImmediateSchedulerType) -> FlowScope? {
        scope.map { FlowScope($0.buffering, resumeScheduler: ResumeScheduler(scheduler)) }
    }

    /// Puts the sources above into a scope.
    ///
    /// - Parameters:
    ///   - buffering: the default policy of the boundaries in the scope.
    ///   - own: the policy of the stage directly above.
    mutating func enterScope(_ buffering: Buffering?, own: Buffering? = nil) {
        scope = FlowScope(buffering, resumeScheduler: resumeScheduler, own: own)
    }

    /// The maximum number of elements of a primary source (``SourceRole``) that wait in a coordinator.
    var boundOfPrimarySources: Int {
        if case .pausing(let bound)? = scope.flatMap({ $0.own ?? $0.buffering }) { bound } else { .max }
    }

    /// The policy of a boundary, or nil if the boundary is unbounded.
    ///
    /// In a scope even an unbounded boundary delivers nothing while the chain below is paused, and the chain above it
    /// is in the scope.
    ///
    /// - Parameter own: the operator's policy, which overrides the scope's.
    @usableFromInline
    func bounds(_ own: Buffering?) -> Buffering? {
        let buffering = own ?? scope?.buffering ?? Hooks.bounds
        if let buffering, buffering != .unbounded { return buffering }
        return isInScope ? .pausing(.max) : nil
    }
}

/// The scheduler on which a paused source or drain resumes.
@usableFromInline
final class ResumeScheduler: @unchecked Sendable {  // immutable; any thread may use a scheduler
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    @usableFromInline
    let queue: JobQueue?

    /// Whether time is virtual. Virtual time must not advance for a resume.
    private let isVirtual: Bool

    @usableFromInline
    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        queue = (scheduler as? any BatchingScheduler)?.jobQueue
        isVirtual = queue == nil && scheduler is any VirtualScheduler
    }

    /// The default: a global queue, except in tests with their own time.
    static var global: ResumeScheduler { WorkExecutor.scheduler.get().map { ResumeScheduler($0) } ?? queues }

    private static let queues = ResumeScheduler(ConcurrentDispatchQueueScheduler(qos: .default))

    /// Whether both use the same scheduler, and that scheduler has no queue of its own.
    func isSame(as other: ResumeScheduler) -> Bool {
        queue == nil && scheduler as AnyObject === other.scheduler as AnyObject
    }

    /// The maximum number of elements that a drain delivers in a turn, so that other chains on the scheduler do not
    /// wait long. It is 1 if the queue is shared with other work or time is virtual.
    @usableFromInline
    func budget(_ bound: Int) -> Int { queue == nil ? 1 : min(max(16, bound), 256) }

    /// Queues a paused job, which any thread may resume. In virtual time it runs as part of the current action if
    /// possible.
    func wake(_ job: FlowJob) {
        if isVirtual { resume(job) } else { enqueue(job) }
    }

    /// Queues a job for its next turn. If the scheduler has no queue and a trampoline runs on this thread, uses that
    /// trampoline. Called by the current turn.
    func resume(_ job: FlowJob) {
        if queue == nil && Trampoline.isRunning { Trampoline.enqueue(job) } else { enqueue(job) }
    }

    /// Queues a job. As long as a turn returns true, the job has another turn.
    @usableFromInline
    func enqueue(_ job: FlowJob) {
        if let queue { return queue.enqueue(job) }
        _ = scheduler.scheduleRecursive(job) { job, recurse in
            if job.turn() { recurse(job) }
        }
    }
}

/// A job that can pause and resume: a source's loop, a boundary's drain, or a list of sources to resume in turn. One
/// run of the job is a *turn*.
@usableFromInline
class FlowJob: ScheduledJob, @unchecked Sendable {  // because of its superclass's guards; subclasses name theirs
    /// Returns true if the job must be queued again. When it has returned false, the job may already run on another
    /// thread. It captures nothing, so that specialised code stays specialised.
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

/// The consequences of pausing or resuming a chain: sources to notify, and jobs to run after the current turn. The
/// sources are notified in a loop, so that deeply nested chains need no recursion.
///
/// Only the thread that made it uses it. Sources are notified with no lock held, and run no user code, with two
/// exceptions: a boundary of `CurrentThreadScheduler` on this thread delivers its waiting elements, and a ``TestValve``
/// calls its closure.
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

    /// Pauses or resumes a chain because the queue below it is full or has room. The lock of an ``InnerChains`` may be
    /// held, because the source is notified later.
    mutating func setFull(_ isFull: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_full(lifetime.chain, isFull) { notified.append(lifetime) }
    }

    /// Pauses or resumes a chain with the chain below it. The lock of an ``InnerChains`` may be held.
    mutating func setHeld(_ isHeld: Bool, _ lifetime: ChainLifetime) {
        if crx_pause_set_held(lifetime.chain, isHeld) { notified.append(lifetime) }
    }

    /// Adds a chain whose source must be notified after the caller's change of the chain's word.
    mutating func notifies(_ lifetime: ChainLifetime) { notified.append(lifetime) }

    /// Adds a chain if it was paused before it had a source, so that the source is notified.
    mutating func add(_ lifetime: ChainLifetime) {
        if crx_pause_change(lifetime.chain, 0, 0) { notified.append(lifetime) }
    }

    /// Counts an event that waits in the gate that the chain feeds. `limit` such events pause the source.
    mutating func inputWaits(in lifetime: ChainLifetime, limit: UInt32) {
        if crx_pause_input_waits(lifetime.chain, limit) { notified.append(lifetime) }
    }

    /// Counts an event that waited in the gate as handled.
    mutating func inputHasWaited(in lifetime: ChainLifetime) {
        if crx_pause_input_has_waited(lifetime.chain) { notified.append(lifetime) }
    }

    /// Whether a chain has been disposed of. If so, retains the chain, so that it is not released under the lock of its
    /// ``InnerChains``.
    mutating func keepsGone(_ lifetime: ChainLifetime) -> Bool {
        guard lifetime.isDisposed else { return false }
        gone.append(lifetime)
        return true
    }

    /// Adds the job of a notified source. If the job's scheduler is that of the current turn and has no queue of its
    /// own, the job runs after the turn, in the same action. Otherwise it is queued only after all sources have been
    /// notified. A scheduler may run a job at once: elements of the source could then pause the chain again, and the
    /// notifying thread would not notice.
    mutating func queue(_ job: FlowJob) {
        if let resumeScheduler, job.resumeScheduler.isSame(as: resumeScheduler) {
            due.append(job)
        } else {
            woken.append(job)
        }
    }

    /// Notifies all sources, including those added by these notifications; then queues the resumed jobs.
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
