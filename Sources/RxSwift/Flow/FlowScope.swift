internal import CRxCore

/// The part of a subscription in which sources can be paused: everything above a ``ObservableType/bounded(_:)`` or
/// above a boundary that pauses. It is passed upstream while chains are assembled. Outside a scope no flow control is
/// set up.
@usableFromInline
final class FlowScope: Sendable {
    /// The default policy of the boundaries in the scope; nil leaves them unbounded.
    let buffering: Buffering?
    /// The place where paused sources resume.
    let home: FlowHome
    /// The policy passed to the stage directly above; it overrides the scope's.
    let own: Buffering?

    init(_ buffering: Buffering?, home: FlowHome, own: Buffering? = nil) {
        self.buffering = buffering
        self.home = home
        self.own = own
    }

    /// The same scope without the policy of the stage directly above.
    var above: FlowScope {
        own == nil ? self : FlowScope(buffering, home: home)
    }
}

/// A scheduler that runs all of its actions on the thread that advances its clock.
protocol VirtualScheduler {}

extension VirtualTimeScheduler: VirtualScheduler {}

/// A scheduler, as the place where a paused source or drain resumes.
@usableFromInline
final class FlowHome: @unchecked Sendable {  // immutable; any thread may use a scheduler
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
        queue = (scheduler as? any BurstScheduler)?.jobQueue
        isVirtual = queue == nil && scheduler is any VirtualScheduler
    }

    /// The default where no closer scheduler is known: a global queue, except in tests with their own time.
    static var global: FlowHome { WorkExecutor.scheduler.get().map { FlowHome($0) } ?? queues }

    private static let queues = FlowHome(ConcurrentDispatchQueueScheduler(qos: .default))

    /// Whether both are the same scheduler, and it has no queue of its own.
    func isSame(as other: FlowHome) -> Bool {
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

    /// Queues a job for its next turn, on the home's queue. If the home has none and a trampoline runs on this thread,
    /// it uses that trampoline. Called by the current turn.
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
    let home: FlowHome

    @inlinable
    init(home: FlowHome, turn: @escaping Turn) {
        body = turn
        self.home = home
        super.init()
    }

    @usableFromInline
    final func turn() -> Bool { body(self) }

    @usableFromInline
    override func run() {
        if turn() { home.resume(self) }
    }
}

/// The consequences of a change of a chain's level: sources to notify, and jobs to run after the current turn. The
/// sources are notified in a loop, so that deeply nested chains need no recursion.
///
/// Only its thread uses it. Sources are notified with no lock held. They run no user code, with one exception: a
/// boundary of `CurrentThreadScheduler` on this thread delivers its waiting elements.
@usableFromInline
struct FlowAgenda {
    /// The home of the turn that runs on this thread; nil if none runs.
    private let home: FlowHome?
    private var told: [SinkDisposer] = []
    private var due: [FlowJob] = []
    private var woken: [FlowJob] = []
    private var gone: [SinkDisposer] = []

    @usableFromInline
    init(turnOf home: FlowHome?) {
        self.home = home
    }

    /// Sets and clears pause reasons of a chain. May be called under a list's lock: the source is notified later.
    mutating func change(_ disposer: SinkDisposer, set: UInt = 0, clear: UInt = 0) {
        if crx_state_change_reasons(disposer.chain, set, clear) { told.append(disposer) }
    }

    /// Counts an event of a chain that must wait in the gate which the chain feeds. `limit` such events pause the
    /// source.
    mutating func inputWaits(in disposer: SinkDisposer, limit: UInt32) {
        if crx_state_input_waits(disposer.chain, limit) { told.append(disposer) }
    }

    /// Counts such an event as handled.
    mutating func inputHasWaited(in disposer: SinkDisposer) {
        if crx_state_input_has_waited(disposer.chain) { told.append(disposer) }
    }

    /// Whether a chain has been disposed of. If so, it is retained until the agenda is freed, so that it is not
    /// released under the lock of its list.
    mutating func keepsGone(_ disposer: SinkDisposer) -> Bool {
        guard disposer.isDisposed else { return false }
        gone.append(disposer)
        return true
    }

    /// Propagates the pause state to this chain's only upstream chain. Called by the notified source.
    mutating func hold(_ disposer: SinkDisposer, _ isPaused: Bool) {
        if isPaused { change(disposer, set: CRX_CHAIN_HELD) } else { change(disposer, clear: CRX_CHAIN_HELD) }
    }

    /// Takes a job that resumes, from a notified source. If its home is the home of the current turn and has no queue
    /// of its own, the job runs after the turn, in the same action. Otherwise it is queued after all sources have been
    /// notified, because a scheduler may run it at once, and its elements may pause the chain again, unseen by the
    /// notifying thread.
    mutating func queue(_ job: FlowJob) {
        if let home, job.home.isSame(as: home) { due.append(job) } else { woken.append(job) }
    }

    /// Notifies all sources, including those added by these notifications; then queues the resumed jobs. No lock is
    /// held.
    @usableFromInline
    mutating func tellAll() {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        var next = 0
        while next < told.count {
            told[next].tellSource(&self)
            next += 1
        }
        told.removeAll()
        let woken = woken
        self.woken.removeAll()
        for job in woken { job.home.wake(job) }
    }

    /// Runs the jobs due at the end of the turn. It must be the turn's last call.
    @usableFromInline
    func finish() {
        for job in due { Trampoline.enqueue(job) }
    }
}
