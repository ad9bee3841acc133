public import CRxCore

/// Elements on their way to the chain below: a job of a ``JobQueue`` that its maker adds to for as long as it is the
/// queue's newest, while it waits and while it runs.
///
/// So elements that come fast cost one RMW each, on a word that nobody else is looking at, and one job for many. A
/// drain that has caught up with its maker looks away for a moment, so that it finds several next time: looked at all
/// the time, the word's cache line would change cores for each element (45 floors an element instead of 17), and a
/// queue that is idle between two elements would wake a thread for each (75).
///
/// | bit of `flag` | meaning | set by |
/// |---|---|---|
/// | 0 *sealed* | nothing is added any more | the drain, once; `enqueue`, where a closed queue drops it |
/// | the others | how many elements there are | the maker, who alone fills slots |
///
/// 1. *None is lost, none comes twice*: adding and sealing are RMWs on one word. The drain seals by a CAS that fails
///    when there is more than it has delivered; what comes after the seal, its maker takes back and puts into a new
///    job.
/// 2. *Order among chains*: the maker adds only when it has just seen that nothing was queued after the job. Whatever
///    was queued before that look makes the look fail; whatever is queued after it is concurrent with the element. As
///    long as the job is not sealed it has not ended, so the element comes before everything that is queued after it.
/// 3. *No ABA in the look*: the maker retains the job, so no other job has its address.
/// 4. *The drain gets on*: each moment that it looked away must have brought an element, and a job holds only so many.
///
/// Together with the queue's table it is modelled in Tests/Models/jobs.pml.
///
/// Guards: a slot belongs to the maker until its element is in the count, then to the drain.
@usableFromInline
final class ElementsJob<Element>: SpecialisedJob, @unchecked Sendable {  // because of the guard above
    /// A few hundred bytes of elements.
    @inlinable
    static var capacity: Int { max(1, 256 / max(8, MemoryLayout<Element>.stride)) }

    @usableFromInline
    let sink: Sink<Element>
    @usableFromInline
    let slots: UnsafeMutablePointer<Element>
    // The sink's, which makes the job; a queue that runs it is kept by its drain.
    @usableFromInline
    unowned(unsafe) let queue: JobQueue

    @inlinable
    init(_ element: Element, _ sink: Sink<Element>, _ queue: JobQueue) {
        self.sink = sink
        self.queue = queue
        slots = .allocate(capacity: ElementsJob.capacity)
        slots.initialize(to: element)
        super.init { base in
            let me = unsafeDowncast(base, to: ElementsJob<Element>.self)
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

    /// Adds an element to a job that has been queued; false when it is full, or nothing is added any more. For the
    /// maker.
    @inlinable
    @inline(__always)
    func add(_ element: Element) -> Bool {
        let word = crx_flag_load_relaxed(flag)
        let slot = slots + Int(word >> 1)
        guard word & 1 == 0, Int(word >> 1) < ElementsJob.capacity else { return false }
        slot.initialize(to: element)
        if crx_flag_fetch_add_acq_rel(flag, 2) & 1 == 0 { return true }
        slot.deinitialize(count: 1)
        return false
    }

    @usableFromInline
    override func drop() {
        drop(after: 0)
    }

    /// Ends the adding, and frees what has not been delivered.
    @usableFromInline
    func drop(after delivered: Int) {
        let word = crx_flag_fetch_or_acq_rel(flag, 1)
        guard word & 1 == 0 else { return }
        let count = Int(word >> 1) - delivered
        (slots + delivered).deinitialize(count: count)
        HopStage.counts(above: sink)?.skip(count)
    }

    /// How many elements have been added.
    @inlinable
    @inline(__always)
    var count: Int { Int(crx_flag_load_acquire(flag) >> 1) }

    /// Gives a maker that has added before, and may add again, a moment to do so. For the drain.
    @inlinable
    @inline(__always)
    func getsMore(than delivered: Int) -> Bool {
        guard delivered > 1, delivered < ElementsJob.capacity, queue.isNewest(self), count == delivered else {
            return false
        }
        crx_thread_linger()
        return count > delivered
    }

    /// Ends the adding, unless there is more than has been delivered. For the drain.
    @inlinable
    @inline(__always)
    func seal(after delivered: Int) -> Bool {
        let word = UInt(delivered) << 1
        return crx_flag_compare_and_swap_acq_rel(flag, word, word | 1) == word
    }
}
