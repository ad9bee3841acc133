internal import CRxCore

/// The part of a subscription in which sources can be paused: what is above a ``ObservableType/bounded(_:)``, or above
/// a boundary that pauses. It is handed up while chains are put together. Outside of one nothing here is made.
@usableFromInline
final class FlowScope: Sendable {
    /// What boundaries do that are not told otherwise; nil leaves them unbounded.
    let buffering: Buffering?
    /// Where sources go on that were paused.
    let home: FlowHome
    /// What the stage directly above does, if it was told so.
    let own: Buffering?

    init(_ buffering: Buffering?, home: FlowHome, own: Buffering? = nil) {
        self.buffering = buffering
        self.home = home
        self.own = own
    }

    /// The same scope, for those above the stage that was told.
    var above: FlowScope {
        own == nil ? self : FlowScope(buffering, home: home)
    }
}

/// A scheduler that runs all of its actions on the thread that advances its clock.
protocol VirtualScheduler {}

extension VirtualTimeScheduler: VirtualScheduler {}

/// A scheduler, as the place where something goes on that was paused.
@usableFromInline
final class FlowHome: @unchecked Sendable {  // immutable; schedulers may be used by all threads
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    /// The scheduler's own queue, if it has one.
    @usableFromInline
    let queue: JobQueue?

    /// Whether all of its actions run on one thread, in a time that is to stand still meanwhile.
    private let isVirtual: Bool

    @usableFromInline
    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        queue = (scheduler as? any BurstScheduler)?.jobQueue
        isVirtual = queue == nil && scheduler is any VirtualScheduler
    }

    /// Where there is no scheduler that would be nearer: a global queue, but in tests that have their own time.
    static var global: FlowHome { WorkExecutor.scheduler.get().map { FlowHome($0) } ?? queues }

    private static let queues = FlowHome(ConcurrentDispatchQueueScheduler(qos: .default))

    /// Whether both are one scheduler, which has no queue of its own.
    func isSame(as other: FlowHome) -> Bool {
        queue == nil && scheduler as AnyObject === other.scheduler as AnyObject
    }

    /// How many elements a drain may deliver in a turn: one where others share the queue, or time is virtual; never so
    /// many that other chains on the scheduler wait long.
    @usableFromInline
    func budget(_ bound: Int) -> Int { queue == nil ? 1 : min(max(16, bound), 256) }

    /// Queues a job that was paused: on the scheduler, for any thread may be the one that resumes it; but virtual time
    /// stands still.
    func wake(_ job: FlowJob) {
        if isVirtual { resume(job) } else { enqueue(job) }
    }

    /// Queues a job for its next turn, by the turn that runs: on the home's queue; where it has none of its own, on the
    /// trampoline of this thread, if one runs.
    func resume(_ job: FlowJob) {
        if queue == nil && Trampoline.isRunning { Trampoline.enqueue(job) } else { enqueue(job) }
    }

    /// Queues a job on the scheduler. Its turns follow one another for as long as it wants one more.
    @usableFromInline
    func enqueue(_ job: FlowJob) {
        if let queue { return queue.enqueue(job) }
        _ = scheduler.scheduleRecursive(job) { job, recurse in
            if job.turn() { recurse(job) }
        }
    }
}

/// What pauses and goes on: a source's loop, a boundary's drain, a list of sources that are resumed in turn.
@usableFromInline
class FlowJob: ScheduledJob, @unchecked Sendable {  // because of its superclass's guards; subclasses name theirs
    /// Does a piece of the work; true where it wants to be queued again. Where it is false the job may run elsewhere by
    /// then. It captures nothing, so that specialised code runs specialised code.
    @usableFromInline
    typealias Turn = (FlowJob) -> Bool

    @usableFromInline
    let body: Turn
    /// Where it goes on.
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

/// What a change of a chain's level leads to: sources to be told, in a loop, however deep chains are nested, and what
/// is to run once the present turn has ended.
///
/// Its thread alone uses it. Sources are told with no lock held. They run no user code, but for a boundary on this very
/// thread, `CurrentThreadScheduler`'s: it delivers what waits.
@usableFromInline
struct FlowAgenda {
    /// Whose turn runs on this thread; nil for nobody's.
    private let home: FlowHome?
    private var told: [SinkDisposer] = []
    private var due: [FlowJob] = []
    private var woken: [FlowJob] = []
    private var gone: [SinkDisposer] = []

    @usableFromInline
    init(turnOf home: FlowHome?) {
        self.home = home
    }

    /// Sets and clears reasons of a chain. May be called under a list's lock: the source is told later.
    mutating func change(_ disposer: SinkDisposer, set: UInt = 0, clear: UInt = 0) {
        if crx_state_change_reasons(disposer.chain, set, clear) { told.append(disposer) }
    }

    /// Counts an input of a chain that is going to wait in the gate that it feeds; `limit` of them pause the source.
    mutating func inputWaits(in disposer: SinkDisposer, limit: UInt32) {
        if crx_state_input_waits(disposer.chain, limit) { told.append(disposer) }
    }

    /// Counts one that has been handled.
    mutating func inputHasWaited(in disposer: SinkDisposer) {
        if crx_state_input_has_waited(disposer.chain) { told.append(disposer) }
    }

    /// Whether a chain has been disposed of; then it is kept, to be let go of when the agenda is: not under the lock of
    /// the list that has it.
    mutating func keepsGone(_ disposer: SinkDisposer) -> Bool {
        guard disposer.isDisposed else { return false }
        gone.append(disposer)
        return true
    }

    /// Passes the level of a chain on to the one above it, of which it is the only one below. For the one who is told.
    mutating func hold(_ disposer: SinkDisposer, _ isPaused: Bool) {
        if isPaused { change(disposer, set: CRX_CHAIN_HELD) } else { change(disposer, clear: CRX_CHAIN_HELD) }
    }

    /// Takes a job that goes on, from a source that is told. At the home whose turn this is, without a queue of its
    /// own, it is run when the turn has ended, as part of the same action; elsewhere once all sources have been told: a
    /// scheduler may run it at once, and what it sends may pause the chain again, which its teller would not see.
    mutating func queue(_ job: FlowJob) {
        if let home, job.home.isSame(as: home) { due.append(job) } else { woken.append(job) }
    }

    /// Tells all sources that are to be told, and those which that leads to; then what goes on does. With no lock held.
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

    /// Runs what has become due. The turn's last act.
    @usableFromInline
    func finish() {
        for job in due { Trampoline.enqueue(job) }
    }
}
