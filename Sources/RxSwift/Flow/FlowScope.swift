internal import CRxCore

/// The part of a subscription in which sources can be paused: what is above a ``ObservableType/bounded(_:)``, or above
/// a boundary that pauses. It is handed up while chains are put together. Outside of one nothing here is made.
@usableFromInline
final class FlowScope: Sendable {
    /// What boundaries do that are not told otherwise; nil leaves them unbounded.
    let buffering: Buffering?
    /// Where sources go on that were paused.
    let home: FlowHome

    init(_ buffering: Buffering?, home: FlowHome) {
        self.buffering = buffering
        self.home = home
    }
}

/// A scheduler, as the place where something goes on that was paused.
@usableFromInline
final class FlowHome: @unchecked Sendable {  // immutable; schedulers may be used by all threads
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    /// The scheduler's own queue, if it has one.
    @usableFromInline
    let queue: JobQueue?

    @usableFromInline
    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        queue = (scheduler as? any BurstScheduler)?.jobQueue
    }

    /// Where there is no scheduler that would be nearer.
    static let global = FlowHome(ConcurrentDispatchQueueScheduler(qos: .default))

    /// How many elements a turn may send, of which there are `bound` to come at most: one where others share the
    /// queue, or time is virtual.
    @usableFromInline
    func budget(_ bound: Int) -> Int { queue == nil ? 1 : max(16, bound) }

    /// Queues a job, whose turns follow one another for as long as it wants one more.
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
        if turn() { home.enqueue(self) }
    }
}

/// What a change of a chain's level leads to: sources to be told, in a loop, however deep chains are nested, and what
/// is to run once the present turn has ended.
///
/// Its thread alone uses it. Sources are told with no lock held; they run no user code.
@usableFromInline
struct FlowAgenda {
    /// Whose turn runs on this thread; nil for nobody's.
    private let home: FlowHome?
    private var told: [SinkDisposer] = []
    private var due: [FlowJob] = []

    @usableFromInline
    init(turnOf home: FlowHome?) {
        self.home = home
    }

    /// Sets and clears reasons of a chain. May be called under a list's lock: the source is told later.
    mutating func change(_ disposer: SinkDisposer, set: UInt = 0, clear: UInt = 0) {
        if crx_state_change_reasons(disposer.chain, set, clear) { told.append(disposer) }
    }

    /// The caller is to tell the source of a chain.
    mutating func tell(_ disposer: SinkDisposer) {
        told.append(disposer)
    }

    /// Queues a job that goes on. At the home whose turn this is, without a queue of its own, it is run when the turn
    /// has ended, as part of the same action: so virtual time stands still.
    mutating func queue(_ job: FlowJob) {
        if job.home === home && job.home.queue == nil { due.append(job) } else { job.home.enqueue(job) }
    }

    /// Tells all sources that are to be told, and those which that leads to. With no lock held.
    @usableFromInline
    mutating func tellAll() {
        assert(crx_thread_locks_held() == 0, "a call-out under a lock")
        var next = 0
        while next < told.count {
            told[next].tellSource(&self)
            next += 1
        }
        told.removeAll()
    }

    /// Runs what has become due. The turn's last act.
    @usableFromInline
    func finish() {
        for job in due { Trampoline.enqueue(job) }
    }
}
