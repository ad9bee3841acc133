public import CRxCore

/// The queue of a scheduler that runs one job at a time, first in, first out. One drain runs many jobs.
///
/// Any thread may enqueue, with one atomic read-modify-write (RMW). No lock is held while a job runs or is freed.
///
/// | word | meaning | transitions |
/// |---|---|---|
/// | 0 *idle* | no job waits, no drain runs | `enqueue`: CAS(idle → job), then it wakes the drain; `close`: CAS(idle → closed) |
/// | a job | the newest waiting job; the waiting jobs are linked newest first; a drain runs or has been woken | `enqueue`: CAS; the drain: CAS(job → job + 1), or CAS(→ closed) if it discards |
/// | a job + 1 *taken* | a drain runs, or continues soon, and has taken all jobs; the job is the newest of them | `enqueue`: CAS(→ job); the drain: CAS(→ idle), or CAS(→ closed) if it discards |
/// | 2 *closed* | the queue accepts no more jobs | none |
///
/// 1. *One drain*: only the RMW that changes the word from idle wakes a drain, and only the drain changes it back. A
///    drain that discards changes the word directly to closed. If the word became idle first, an enqueue would wake a
///    second drain.
/// 2. *No lost job*: the CAS to idle fails if a job was enqueued.
/// 3. *Order*: the drain takes the whole list and reverses it. Jobs enqueued later are taken later.
/// 4. *No ABA*: the drain always takes all waiting jobs. The address in *taken* is compared, never dereferenced.
///
/// Guard:
/// - `pending`, `runs`: used only by the drain. `pending` contains the taken jobs that have not run. `runs` counts the
///   jobs run since the queue was last idle.
@usableFromInline
class JobQueue: @unchecked Sendable {  // because of the table above
    private struct Words {
        var flagAndLock = FlagAndLock()
        var drainer = crx_flag()
    }

    private static let idle: UInt = 0
    private static let taken: UInt = 1
    private static let closed: UInt = 2

    // The first stored property, because `word`, `lock` and `drainer` are computed from its address.
    private final let words = Words()

    private final var pending: Unmanaged<ScheduledJob>?

    private final var runs = 0

    /// This number of jobs occupies tens of MiB. After a burst of this size, the queue returns free memory to the
    /// system, because the allocator alone may keep it.
    private static let burstWorthReturning = 1 << 16

    /// A group that closes all timers of the queue at once; nil if they are only disposed of one by one.
    final let timers: UnsafeMutablePointer<crx_timer_group>?

    /// An atomic word. If it is not 0, no further job may start.
    @usableFromInline
    final let dropping: UnsafeMutablePointer<crx_flag>?

    init(timers: UnsafeMutablePointer<crx_timer_group>? = nil, dropping: UnsafeMutablePointer<crx_flag>? = nil) {
        self.timers = timers
        self.dropping = dropping
    }

    private final var word: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    /// The identity of the draining thread, or 0.
    private final var drainer: UnsafeMutablePointer<crx_flag> {
        let offset = MemoryLayout<Words>.offset(of: \.drainer).unsafelyUnwrapped
        return (_getUnsafePointerToStoredProperties(self) + offset).assumingMemoryBound(to: crx_flag.self)
    }

    final var isDrainedByCaller: Bool { crx_flag_load_relaxed(drainer) == crx_thread_self() }

    final var lock: UnsafeMutablePointer<crx_lock> { FlagAndLock.lock(of: self) }

    /// Must cause a call of ``drain(atMost:)`` soon. Called without a lock.
    func wake() {
        fatalError("abstract")
    }

    var name: String { fatalError("abstract") }

    /// Called without a lock after a timer in ``timers`` has been cancelled.
    func hasOneTimerLess() {}

    /// Enqueues a job, or drops it if the queue is closed.
    @usableFromInline
    final func enqueue(_ job: ScheduledJob) {
        enqueue(owned: Unmanaged.passRetained(job))
    }

    /// Like ``enqueue(_:)``, but takes over the caller's reference to the job.
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

    /// Whether `word` contains `job`. If so, `job` was enqueued last, but may already have run. The caller retains
    /// `job`.
    @inlinable
    @inline(__always)
    final func isNewest(_ job: ScheduledJob) -> Bool {
        crx_flag_load_relaxed(FlagAndLock.flag(of: self)) & ~1
            == UInt(bitPattern: Unmanaged.passUnretained(job).toOpaque())
    }

    /// Runs jobs until none waits, `limit` jobs have run, or ``isDropping`` is true. Also runs jobs that are enqueued
    /// during the call. If jobs are left, returns false, and the caller must run or drop them.
    final func drain(atMost limit: Int) -> Bool {
        var left = limit
        repeat {
            if !runPending(atMost: &left) { return false }
        } while take()
        return true
    }

    /// Runs the jobs that wait now, then closes the queue and drops later jobs, so a fast producer cannot prevent the
    /// shutdown. The drain calls this instead of ``drain(atMost:)``.
    final func finish() {
        var left = Int.max
        // The newest waiting job. Its address identifies it until it runs, because a waiting job cannot be queued
        // again.
        let newest = crx_flag_load_acquire(word)
        _ = runPending(atMost: &left)
        if newest & Self.taken == 0, !isDropping, take() {
            left = pendingCount(upTo: newest)
            _ = runPending(atMost: &left)
        }
        discard()
    }

    private final func pendingCount(upTo newest: UInt) -> Int {
        var (count, next) = (1, pending)
        while let node = next, UInt(bitPattern: node.toOpaque()) != newest {
            next = node._withUnsafeGuaranteedRef { $0.next }
            count += 1
        }
        return count
    }

    /// Runs taken jobs. Returns false if some are left.
    private final func runPending(atMost left: inout Int) -> Bool {
        crx_flag_store_release(drainer, crx_thread_self())
        // `drainer` is reset before the queue becomes idle, because another thread may drain the queue afterwards.
        defer { crx_flag_store_release(drainer, 0) }
        if crx_watch_any(CRX_WATCH_STALLS), let run = StallWatch.run({ name }) { return runWatched(run, atMost: &left) }
        while let node = takePending(atMost: &left) {
            #if RX_EXPLORE
                Explored.markJob()
            #endif
            node._withUnsafeGuaranteedRef { $0.run() }
            node.release()
        }
        return pending == nil
    }

    /// A separate function, so that jobs have no extra cost while stalls are not watched.
    @inline(never)
    private final func runWatched(_ run: StallRun, atMost left: inout Int) -> Bool {
        defer { run.end() }
        while let node = takePending(atMost: &left) {
            run.run { node._withUnsafeGuaranteedRef { $0.run() } }
            node.release()
        }
        return pending == nil
    }

    @inline(__always)
    private final func takePending(atMost left: inout Int) -> Unmanaged<ScheduledJob>? {
        guard let node = pending, left != 0, !isDropping else { return nil }
        left -= 1
        runs &+= 1
        pending = node._withUnsafeGuaranteedRef { $0.next }
        return node
    }

    @inlinable
    @inline(__always)
    final var isDropping: Bool {
        if let dropping { crx_flag_load_relaxed(dropping) != 0 } else { false }
    }

    /// Closes the queue, then drops the waiting jobs. The queue is closed first, so that no other thread adds jobs
    /// during the drop. The drain calls this instead of ``drain(atMost:)``. If no thread will drain, any thread may
    /// call it.
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

    /// Drops a job. If this thread is already dropping another job, `node` is dropped after that job, not nested in its
    /// `drop()`.
    private final func dropLate(_ node: Unmanaged<ScheduledJob>) {
        guard isDrainedByCaller else { return node.takeRetainedValue().drop() }
        node._withUnsafeGuaranteedRef { $0.next = pending }
        pending = node
    }

    /// Closes an idle queue. Returns false if the queue stays open.
    final func close() -> Bool {
        let seen = crx_flag_compare_and_swap_acq_rel(word, Self.idle, Self.closed)
        return seen == Self.idle || seen == Self.closed
    }

    /// Moves all waiting jobs into `pending`. If none waits, makes the queue idle and returns false.
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

    /// Reverses a list that is linked newest first, and prepends it to `pending`. Returns false if the list is empty.
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

    private static func waiting(_ word: UInt) -> Unmanaged<ScheduledJob>? {
        guard word > closed, word & taken == 0 else { return nil }
        return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
    }
}

/// A scheduler with a ``JobQueue``. Operators enqueue jobs there instead of scheduling an action for each event.
@usableFromInline
protocol BatchingScheduler {
    /// The queue, valid while the caller retains the scheduler. Nil if other code must be able to run between two
    /// events.
    var jobQueue: JobQueue? { get }
}
