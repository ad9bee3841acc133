public import CRxCore

/// The stage of `observe(on:)` for a scheduler that owns its queue. While the stage's latest job waits or runs, a new
/// element is added to that job. If the job is full, or another job was queued after it, the stage makes a new job.
///
/// Guards: only the chain above uses `newest`; that chain sends one event at a time.
@usableFromInline
final class BatchingSink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let down: Sink<Element>
    @usableFromInline
    let queue: JobQueue
    /// Never read, only retained: the release of a scheduler may end its thread.
    @usableFromInline
    let scheduler: any ImmediateSchedulerType

    /// The job that was queued last. Elements are added through the unretained reference, because a retain for each
    /// element would move the cache line of the reference count between two processors.
    @usableFromInline
    @exclusivity(unchecked)
    var newest: (job: Unretained<BatchJob<Element>>, retained: BatchJob<Element>)?

    @inlinable
    init(_ lifetime: ChainLifetime, _ down: Sink<Element>, _ queue: JobQueue, of scheduler: any ImmediateSchedulerType)
    {
        self.down = down
        self.queue = queue
        self.scheduler = scheduler
        super.init(lifetime) { base, element in
            let me = unsafeDowncast(base, to: BatchingSink<Element>.self)
            if let newest = me.newest?.job, newest.use({ me.queue.isNewest($0) && $0.add(element) }) { return }
            let job = BatchJob(element, me.down, me.queue)
            me.newest = (Unretained(job), job)
            me.queue.enqueue(job)
        }
    }

    deinit {
        down.sourceIsGone()
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        queue.enqueue(EndJob(down, error))
    }
}

// @unchecked Sendable because it is immutable, except for its place in the queue.
private final class EndJob: ScheduledJob, @unchecked Sendable {
    let sink: SinkBase
    let error: (any Error)?

    init(_ sink: SinkBase, _ error: (any Error)?) {
        self.sink = sink
        self.error = error
        super.init()
    }

    override func run() {
        sink.end(error)
    }
}

/// A job that delivers elements to the downstream chain. The *maker*, the thread of the source, adds elements until a
/// later job is queued, even while this job runs. The *drain* is the thread that runs the job.
///
/// When the drain has delivered all elements, it usually lingers for a moment. If it polled `flag` instead, the cache
/// line of `flag` would move between cores for each element. If it returned instead, each element would wake a thread.
///
/// | bit of `flag` | meaning | set by |
/// |---|---|---|
/// | 0 *sealed* | no more elements are accepted | the drain, once; `enqueue`, if a closed queue drops the job |
/// | the rest | the number of elements | the maker |
///
/// 1. *No element is lost or delivered twice*: adding and sealing are atomic updates of `flag`. The compare-and-swap
///    for sealing fails if there are undelivered elements. Later elements go into a new job.
/// 2. *Order among chains*: the maker checks that no other job was queued after this one, then adds an element. A job
///    that is queued before the check makes the check fail. A job that is queued after the check is concurrent with the
///    element. A job that is not sealed has not ended, so its elements precede all later jobs.
/// 3. *The check has no ABA problem*: the maker retains the job, so no other job has its address.
/// 4. *The drain makes progress*: the capacity of a job is limited, and the drain lingers again only if an element has
///    arrived since its last wait began.
///
/// Modelled in Tests/Models/jobs.pml, with `JobQueue`.
///
/// Guards: the maker owns a slot until it has counted the slot's element; then the drain owns it.
@usableFromInline
final class BatchJob<Element>: SpecialisedJob, @unchecked Sendable {  // see the guards above
    @inlinable
    static var capacity: Int { max(1, 256 / max(8, MemoryLayout<Element>.stride)) }

    @usableFromInline
    let sink: Sink<Element>
    @usableFromInline
    let slots: UnsafeMutablePointer<Element>
    // Unowned, because the queue is retained by the sink that makes the job, and by the thread that runs the job.
    @usableFromInline
    unowned(unsafe) let queue: JobQueue

    @inlinable
    init(_ element: Element, _ sink: Sink<Element>, _ queue: JobQueue) {
        self.sink = sink
        self.queue = queue
        slots = .allocate(capacity: BatchJob.capacity)
        slots.initialize(to: element)
        super.init { base in
            let me = unsafeDowncast(base, to: BatchJob<Element>.self)
            assert(crx_flag_load_relaxed(me.flag) & 1 == 0, "a job runs once")
            var delivered = 0
            repeat {
                let count = me.count
                while delivered < count {
                    if me.queue.isDropping { return me.drop(after: delivered) }
                    me.sink.push(me.sink, (me.slots + delivered).move())
                    delivered += 1
                }
            } while me.getsMore(than: delivered) || !me.seal(after: delivered)
        }
        crx_flag_store_release(flag, 2)
    }

    deinit {
        drop()
        slots.deallocate()
    }

    /// Called by the maker. Returns false if the job is full or sealed.
    @inlinable
    @inline(__always)
    func add(_ element: Element) -> Bool {
        let word = crx_flag_load_relaxed(flag)
        let slot = slots + Int(word >> 1)
        guard word & 1 == 0, Int(word >> 1) < BatchJob.capacity else { return false }
        slot.initialize(to: element)
        if crx_flag_fetch_add_acq_rel(flag, 2) & 1 == 0 { return true }
        slot.deinitialize(count: 1)
        return false
    }

    @usableFromInline
    override func drop() {
        drop(after: 0)
    }

    @usableFromInline
    func drop(after delivered: Int) {
        let word = crx_flag_fetch_or_acq_rel(flag, 1)
        guard word & 1 == 0 else { return }
        let count = Int(word >> 1) - delivered
        (slots + delivered).deinitialize(count: count)
        BoundaryStage.counts(above: sink)?.skip(count)
    }

    @inlinable
    @inline(__always)
    var count: Int { Int(crx_flag_load_acquire(flag) >> 1) }

    /// Called by the drain. May wait for a moment. Returns whether an element arrived during the wait.
    @inlinable
    @inline(__always)
    func getsMore(than delivered: Int) -> Bool {
        guard delivered > 1, delivered < BatchJob.capacity, queue.isNewest(self), count == delivered else {
            return false
        }
        crx_thread_linger()
        return count > delivered
    }

    /// Called by the drain. Returns false if the job has more than `delivered` elements.
    @inlinable
    @inline(__always)
    func seal(after delivered: Int) -> Bool {
        let word = UInt(delivered) << 1
        return crx_flag_compare_and_swap_acq_rel(flag, word, word | 1) == word
    }
}
