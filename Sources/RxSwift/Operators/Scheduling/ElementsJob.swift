public import CRxCore

/// Elements on their way to the chain below: a job of a ``JobQueue`` that its maker adds to for as long as it waits as the newest.
///
/// So what comes faster than it is delivered costs one RMW an element, on a word that nobody else is looking at, and one job for many.
///
/// | bit of `flag` | meaning | set by |
/// |---|---|---|
/// | 0 *sealed* | the drain delivers; nothing is added any more | the drain, once for each time the job is queued |
/// | the others | how many elements there are | the maker, who alone fills slots |
///
/// 1. *None is lost, none comes twice*: adding and sealing are RMWs on one word. What was added before the seal is in the count that the seal
///    returns; what comes after it, its maker takes back and queues anew.
/// 2. *Order among chains*: the maker adds only when it has just seen the job as its queue's newest. Whatever was queued after the job and before
///    that look makes the look fail; whatever is queued after the look is concurrent with the element.
/// 3. *No ABA in the look*: the maker keeps the job, so its address names no other, and nobody but the maker queues it again.
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
    let pool: JobPool?
    @usableFromInline
    let slots: UnsafeMutablePointer<Element>

    @inlinable
    init(_ sink: Sink<Element>, _ pool: JobPool?) {
        self.sink = sink
        self.pool = pool
        slots = .allocate(capacity: ElementsJob.capacity)
        super.init { base in
            let me = unsafeDowncast(base, to: ElementsJob<Element>.self)
            for index in 0..<me.seal() {
                me.sink.push(me.sink, (me.slots + index).move())
            }
            me.pool?.give(me)
        }
    }

    deinit {
        slots.deinitialize(count: seal())
        slots.deallocate()
    }

    /// Takes the first element. For the maker, while the job is in no queue.
    @inlinable
    @inline(__always)
    func begin(_ element: Element) {
        slots.initialize(to: element)
        crx_flag_store_release(flag, 2)
    }

    /// Adds an element to a job that has been queued; false when it is full, or being delivered already. For the maker.
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
        slots.deinitialize(count: seal())
    }

    /// Ends the adding, once.
    ///
    /// - Returns: how many elements are to be delivered.
    @usableFromInline
    func seal() -> Int {
        let word = crx_flag_fetch_or_acq_rel(flag, 1)
        return word & 1 == 0 ? Int(word >> 1) : 0
    }
}
