public import CRxCore

/// The one queue of a scheduler that owns its thread of control: first in, first out over all of its subscriptions,
/// drained in bursts.
///
/// Any thread enqueues, for one RMW; the drain is one at a time. No lock is held while a job runs or is freed.
///
/// | word | meaning | left by |
/// |---|---|---|
/// | 0 *idle* | nothing waits, nobody drains | `enqueue`: CAS(idle → job), then it wakes the drain; `close`: CAS(idle → closed) |
/// | a job | the newest of those that wait, linked newest first; a drain runs or is woken | `enqueue`: CAS; the drain: CAS(job → job + 1), or CAS(→ closed) where it discards |
/// | a job + 1 *taken* | a drain runs, or goes on soon, and has taken all there is; that job was queued last | `enqueue`: CAS(→ job); the drain: CAS(→ idle), or CAS(→ closed) where it discards |
/// | 2 *closed* | nothing is taken any more | never |
///
/// 1. *One drain*: only the RMW that leaves idle wakes one, and only the drain returns to idle. One that discards does
///    not pass through idle on its way to closed: who queued a job meanwhile would wake another.
/// 2. *Nothing is forgotten*: the drain becomes idle by a CAS that fails when a job came.
/// 3. *Order*: the list is taken whole and turned round; what comes later is taken later.
/// 4. *No ABA*: jobs are pushed one at a time, but only ever taken all at once; the address in *taken* is compared,
///    never followed.
///
/// - `pending`, `runs`: only the drain uses them: the jobs that it has taken and not run yet, and the number of jobs
///   that it has run since the queue was last idle.
@usableFromInline
class JobQueue: @unchecked Sendable {  // because of the table above
    private struct Words {
        var flagAndLock = FlagAndLock()
        var drainer = crx_flag()
    }

    private static let idle: UInt = 0
    private static let taken: UInt = 1
    private static let closed: UInt = 2

    // The first stored property: `word`, `lock` and `drainer` are addresses in it.
    private final let words = Words()

    private final var pending: Unmanaged<ScheduledJob>?

    private final var runs = 0

    /// After a burst of this many jobs, some tens of MiB, the queue returns free memory to the system. The allocator
    /// would keep it, because the newest job of each chain lies on top.
    private static let burstWorthReturning = 1 << 16

    /// The timers of a queue that can be closed.
    final let timers: UnsafeMutablePointer<crx_timer_group>?

    /// Not 0 once nothing more is to run but what runs already; nil where that cannot be asked for.
    @usableFromInline
    final let dropping: UnsafeMutablePointer<crx_flag>?

    init(timers: UnsafeMutablePointer<crx_timer_group>? = nil, dropping: UnsafeMutablePointer<crx_flag>? = nil) {
        self.timers = timers
        self.dropping = dropping
    }

    private final var word: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    /// The identity of the thread that drains, or 0.
    private final var drainer: UnsafeMutablePointer<crx_flag> {
        let offset = MemoryLayout<Words>.offset(of: \.drainer).unsafelyUnwrapped
        return (_getUnsafePointerToStoredProperties(self) + offset).assumingMemoryBound(to: crx_flag.self)
    }

    /// Whether the calling thread drains the queue just now, so that nothing else of it runs before the caller returns.
    final var isDrainedByCaller: Bool { crx_flag_load_relaxed(drainer) == crx_thread_self() }

    /// For subclasses; the queue itself needs none.
    final var lock: UnsafeMutablePointer<crx_lock> { FlagAndLock.lock(of: self) }

    /// Sees to it that ``drain(atMost:)`` is called, soon, on the scheduler's own thread of control. Called by who
    /// enqueues, with no lock held.
    func wake() {
        fatalError("abstract")
    }

    /// What a program calls the scheduler.
    var name: String { fatalError("abstract") }

    /// Called when one of ``timers`` has been cancelled, with no lock held.
    func hasOneTimerLess() {}

    /// Queues a job. A closed queue drops it instead.
    @usableFromInline
    final func enqueue(_ job: ScheduledJob) {
        enqueue(owned: Unmanaged.passRetained(job))
    }

    /// The same; the caller's reference becomes the queue's.
    final func enqueue(owned node: Unmanaged<ScheduledJob>) {
        let new = UInt(bitPattern: node.toOpaque())
        var old = crx_flag_load_relaxed(word)
        while true {
            if old == Self.closed { return dropLate(node) }
            let older = Self.waiting(old)
            node._withUnsafeGuaranteedRef { $0.next = older }
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, new)
            if seen == old { break }
            old = seen
        }
        if old == Self.idle { wake() }
    }

    /// Whether `job`, which the caller keeps and has queued, is what was queued last; it may have been taken, or run,
    /// since.
    @inlinable
    @inline(__always)
    final func isNewest(_ job: ScheduledJob) -> Bool {
        crx_flag_load_relaxed(FlagAndLock.flag(of: self)) & ~1
            == UInt(bitPattern: Unmanaged.passUnretained(job).toOpaque())
    }

    /// Runs what waits, and what comes meanwhile, up to `limit` jobs, or until nothing more is to run.
    ///
    /// - Returns: true when nothing is left; false when something may be: then nobody is woken, and it is the caller
    ///   who goes on.
    final func drain(atMost limit: Int) -> Bool {
        var left = limit
        repeat {
            if !runPending(atMost: &left) { return false }
        } while take()
        return true
    }

    /// Runs what waits by now, and then drops what came meanwhile and closes the queue: who feeds it faster than it
    /// runs does not keep it going. In place of a drain.
    final func finish() {
        var left = Int.max
        // Not run before its turn, so nobody queues it a second time.
        let newest = crx_flag_load_acquire(word)
        _ = runPending(atMost: &left)
        if newest & Self.taken == 0, !isDropping, take() {
            left = pendingCount(upTo: newest)
            _ = runPending(atMost: &left)
        }
        discard()
    }

    /// How many of those that were taken were queued before that job, itself among them.
    private final func pendingCount(upTo newest: UInt) -> Int {
        var (count, next) = (1, pending)
        while let node = next, UInt(bitPattern: node.toOpaque()) != newest {
            next = node._withUnsafeGuaranteedRef { $0.next }
            count += 1
        }
        return count
    }

    /// Runs what has been taken; false where some of it is left.
    private final func runPending(atMost left: inout Int) -> Bool {
        crx_flag_store_release(drainer, crx_thread_self())
        // Before the queue is idle, when the next drain may have begun.
        defer { crx_flag_store_release(drainer, 0) }
        if crx_watch_any(CRX_WATCH_STALLS), let run = StallWatch.run({ name }) { return runWatched(run, atMost: &left) }
        while let node = takePending(atMost: &left) {
            node._withUnsafeGuaranteedRef { $0.run() }
            node.release()
        }
        return pending == nil
    }

    /// The same while stalls are watched: apart, so that a job costs nothing more while they are not.
    @inline(never)
    private final func runWatched(_ run: StallRun, atMost left: inout Int) -> Bool {
        defer { run.end() }
        while let node = takePending(atMost: &left) {
            run.run { node._withUnsafeGuaranteedRef { $0.run() } }
            node.release()
        }
        return pending == nil
    }

    /// The next of what has been taken, to be run and released; nil where there is none, or none is to run.
    @inline(__always)
    private final func takePending(atMost left: inout Int) -> Unmanaged<ScheduledJob>? {
        guard let node = pending, left != 0, !isDropping else { return nil }
        left -= 1
        runs &+= 1
        pending = node._withUnsafeGuaranteedRef { $0.next }
        return node
    }

    /// Whether nothing more is to run but what runs already.
    @inlinable
    @inline(__always)
    final var isDropping: Bool {
        if let dropping { crx_flag_load_relaxed(dropping) != 0 } else { false }
    }

    /// Closes the queue and drops what waits, in place of a drain. It is closed first: who feeds it may be faster than
    /// the dropping is.
    final func discard() {
        crx_flag_store_release(drainer, crx_thread_self())
        defer { crx_flag_store_release(drainer, 0) }
        var old = crx_flag_load_relaxed(word)
        while old != Self.closed {
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, Self.closed)
            if seen == old { break }
            old = seen
        }
        dropPending()
        receive(Self.waiting(old))
        dropPending()
    }

    private final func dropPending() {
        while let node = pending {
            pending = node._withUnsafeGuaranteedRef { $0.next }
            node.takeRetainedValue().drop()
        }
    }

    /// Drops a job that came to a closed queue. One that comes from within a job that is being dropped is dropped after
    /// it, for there may be one in that, and so on.
    private final func dropLate(_ node: Unmanaged<ScheduledJob>) {
        guard isDrainedByCaller else { return node.takeRetainedValue().drop() }
        node._withUnsafeGuaranteedRef { $0.next = pending }
        pending = node
    }

    /// Closes the queue if nothing waits and nobody drains.
    final func close() -> Bool {
        let seen = crx_flag_compare_and_swap_acq_rel(word, Self.idle, Self.closed)
        return seen == Self.idle || seen == Self.closed
    }

    /// Takes all that waits into `pending`, oldest first, or becomes idle.
    private final func take() -> Bool {
        var old = crx_flag_load_relaxed(word)
        while true {
            if old == Self.idle || old == Self.closed { return false }
            var new = old | Self.taken
            if old == new {
                let isBurst = runs >= Self.burstWorthReturning
                runs = 0
                if isBurst {
                    crx_memory_return()
                    old = crx_flag_load_relaxed(word)
                    continue
                }
                new = Self.idle
            }
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, new)
            if seen == old { break }
            old = seen
        }
        return receive(Self.waiting(old))
    }

    /// Puts a list, the newest first, before what is pending, the oldest first; false where there is none.
    @discardableResult
    private final func receive(_ newest: Unmanaged<ScheduledJob>?) -> Bool {
        var node = newest
        if node == nil { return false }
        while let current = node {
            node = current._withUnsafeGuaranteedRef { job in
                let next = job.next
                job.next = pending
                return next
            }
            pending = current
        }
        return true
    }

    /// The newest of the jobs that wait.
    private static func waiting(_ word: UInt) -> Unmanaged<ScheduledJob>? {
        guard word > closed, word & taken == 0 else { return nil }
        return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
    }
}

/// A scheduler that may own a ``JobQueue``: what delivers many events through it queues jobs there, and dispatches
/// nothing for each.
@usableFromInline
protocol BurstScheduler {
    /// The scheduler's queue, to be used as long as the scheduler is kept; nil if it shares its thread of control with
    /// others, who are to keep their place between two events.
    var jobQueue: JobQueue? { get }
}
