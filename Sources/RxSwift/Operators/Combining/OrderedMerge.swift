public import CRxCore

extension ObservableType {
    /// The elements of the sequences that `selector` returns, in the order of their outer elements. At most
    /// `maxConcurrent` of them are subscribed. RxOperators' `flatMapOrdered` documents it.
    @inlinable
    package __consuming func flattenOrdered<Source: ObservableConvertibleType>(
        maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { OrderedMergeCoordinator(&$0, limit: maxConcurrent) }
    }
}

/// Subscribes to at most `limit` inner sources at a time, and delivers their elements in the order of the sources.
///
/// The sources are numbered. The head is the oldest source that has not been delivered completely; its number is
/// `finished`. Elements of the head are delivered at once, elements of other sources wait in slots. A source occupies a
/// place until all its elements and its completion have been delivered, so at most `limit` slots exist.
///
/// Guards:
/// - `made`: the thread of the outer source, as in ``Flattener``.
/// - `waiting`, `waitingCount`: `lock`.
/// - `passed`: changes under `lock`. The thread of the outer source reads it without.
/// - `slots`, `isDraining`, `isBusy`: the gate's owner.
@usableFromInline
final class OrderedMergeCoordinator<Output>: Flattener, FlatteningCoordinator {
    /// The events of a source that is not the head, and those of the head that wait for a resume.
    private final class Slot {
        var elements = Ring<Output>()
        var isDone = false
        /// The source, if it is paused because of the number of `elements`.
        var full: InnerLifetime?
    }

    @usableFromInline
    let limit: Int
    /// The number of a source's elements that may wait before it is paused; nil if sources cannot be paused.
    private let bound: Int?
    @usableFromInline
    @exclusivity(unchecked)
    var lock = crx_lock()
    @exclusivity(unchecked)
    private var waiting = Ring<Observable<Output>>()
    /// The count of `waiting`. To read that one would look up the type of its elements.
    @usableFromInline
    @exclusivity(unchecked)
    var waitingCount = 0
    /// A copy of `finished`: the number of sources that have released their place.
    @usableFromInline
    @exclusivity(unchecked)
    var passed = crx_flag()
    /// The bound on `waiting`; nil if the outer source cannot be paused.
    private var outer: QueueBound?
    /// The slots by the numbers of their sources.
    @exclusivity(unchecked)
    private var slots: [Int: Slot] = [:]
    /// Whether a call below on the stack is delivering from the slots. Other events of the head then wait in its slot.
    @exclusivity(unchecked)
    private var isDraining = false
    /// Whether `isDraining` or there is a slot.
    @usableFromInline
    @exclusivity(unchecked)
    var isBusy = false

    @usableFromInline
    init(_ context: inout SubscribeContext, limit: Int) {
        self.limit = limit
        bound = if case .pausing(let bound)? = context.scope.flatMap({ $0.own ?? $0.buffering }) { bound } else { nil }
        super.init(&context)
        hearsOfResumes()
    }

    @usableFromInline
    func begins(with outer: InnerLifetime) {
        self.outer = innerChains.bound(on: outer, named: "flatMapOrdered")
    }

    // MARK: The outer source

    @inlinable
    func add(_ source: consuming Observable<Output>, _: Admission, _ outer: InnerLifetime) {
        let number = made
        made += 1
        if number - Int(crx_flag_load_acquire(&passed)) >= limit && queue(source, number) { return }
        if let element = Scalar.element(of: source) {
            send(scalar: element, number, of: outer)
        } else {
            source.subscribe(inner: NumberedInnerObserver<OrderedHandler<Output>>(self, number))
        }
    }

    /// Queues a source, unless a place has become free since. Returns whether it did.
    @usableFromInline
    func queue(_ source: Observable<Output>, _ number: Int) -> Bool {
        var worklist = PauseWorklist(turnOf: nil)
        crx_lock_acquire(&lock)
        if number - Int(crx_flag_load_relaxed(&passed)) < limit {
            crx_lock_release(&lock)
            return false
        }
        waiting.append(source)
        waitingCount += 1
        let overflows = outer?.admit(waitingCount - 1) == .overflows
        if !overflows { outer?.counters?.entered() }
        outer?.settle(waitingCount, &worklist)
        crx_lock_release(&lock)
        worklist.notifyAll()
        if overflows, let error = outer?.overflow() { enter { [self] in end(error) } }
        return true
    }

    // MARK: Events, by the gate's owner

    @inlinable
    @inline(__always)
    func handle(scalar element: Output, _ number: Int) {
        guard isDeliverable(number) else { return hold(element, number, nil) }
        deliver(element)
        headCompleted()
    }

    @inlinable
    @inline(__always)
    func next(_ element: Output, _ number: Int, _ source: InnerLifetime) {
        if isDeliverable(number) { deliver(element) } else { hold(element, number, source) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ number: Int, _ source: InnerLifetime) {
        if let error { return fail(error) }
        innerChains.dispose(source)
        if isDeliverable(number) { headCompleted() } else { slot(number).isDone = true }
    }

    /// Whether an event of a source is delivered at once.
    @inlinable
    @inline(__always)
    func isDeliverable(_ number: Int) -> Bool { number == finished && (!isBusy || isHeadClear()) }

    /// Whether no element of the head waits.
    @usableFromInline
    func isHeadClear() -> Bool { !isDraining && slots[finished]?.elements.isEmpty ?? true }

    /// Stores an element.
    ///
    /// - Parameter source: the element's source, which pauses at its bound; nil if this is its only element.
    @usableFromInline
    func hold(_ element: Output, _ number: Int, _ source: InnerLifetime?) {
        let slot = slot(number)
        slot.elements.append(element)
        guard let source else { return slot.isDone = true }
        guard let bound, slot.elements.count >= bound, number != finished, slot.full == nil else { return }
        slot.full = source
        setFull(true, source)
    }

    private func slot(_ number: Int) -> Slot {
        if let slot = slots[number] { return slot }
        let slot = Slot()
        slots[number] = slot
        isBusy = true
        return slot
    }

    /// Makes the next source the head, and delivers what has waited for that.
    @inlinable
    @inline(__always)
    func headCompleted() {
        let isPlaceWanted = passHead()
        if isBusy || isPlaceWanted { follow(isPlaceWanted) } else if hasAll { endIfFinished() }
    }

    /// Makes the next source the head. Returns whether a source waits for the place of the completed one.
    @inlinable
    func passHead() -> Bool {
        finished += 1
        crx_lock_acquire(&lock)
        crx_flag_store_release(&passed, UInt(finished))
        let isPlaceWanted = waitingCount > 0
        crx_lock_release(&lock)
        return isPlaceWanted
    }

    /// Continues after the completion of a head.
    @usableFromInline
    @inline(never)
    func follow(_ isPlaceWanted: Bool) {
        isDraining = true
        completed(isPlaceWanted)
        drain()
    }

    @usableFromInline
    override func resumed() {
        if !isDraining { drain() }
    }

    /// Delivers the slots, as far as possible. It loops, because the sources that it subscribes to may end at once.
    private func drain() {
        isDraining = true
        isBusy = true
        while deliverHead() { completed(passHead()) }
        isDraining = false
        isBusy = !slots.isEmpty
        if hasAll { endIfFinished() }
    }

    /// Frees the slot of a completed source. Its place passes to the source that has waited longest.
    private func completed(_ isPlaceWanted: Bool) {
        isBusy = true
        if !slots.isEmpty { slots[finished - 1] = nil }
        guard isPlaceWanted, isLive else { return }
        var worklist = PauseWorklist(turnOf: nil)
        crx_lock_acquire(&lock)
        let next = waiting.removeFirst()
        waitingCount -= 1
        outer?.counters?.left()
        outer?.settle(waitingCount, &worklist)
        crx_lock_release(&lock)
        worklist.notifyAll()
        // Sources wait in the order of their numbers, and the first one waits for this place.
        let number = finished + limit - 1
        if let element = Scalar.element(of: next) { return send(scalar: element, number, of: nil) }
        (isPaused ? next.pausable : next).subscribe(inner: NumberedInnerObserver<OrderedHandler<Output>>(self, number))
    }

    /// Delivers the waiting elements of the head. Returns whether the head has completed.
    private func deliverHead() -> Bool {
        while !slots.isEmpty, isLive, let slot = slots[finished] {
            if slot.elements.isEmpty {
                if let full = slot.full.take() { setFull(false, full) }
                // The resumed source may have sent an element.
                if slot.elements.isEmpty { return slot.isDone }
            }
            if keepsForResume() { return false }
            deliver(slot.elements.removeFirst())
        }
        return false
    }
}

/// An inner source of an ordered merge.
@usableFromInline
enum OrderedHandler<Output>: FlatteningHandler {
    @usableFromInline
    typealias Target = OrderedMergeCoordinator<Output>

    @inlinable
    @inline(__always)
    static func next(_ element: Output, _ coordinator: Target, _ source: InnerObserver<Self>) {
        coordinator.next(element, number(of: source), source.lifetime)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.ended(error, number(of: source), source.lifetime)
    }

    @usableFromInline
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool) {
        if waits { source.coordinator.innerChains.dispose(source.lifetime) }
    }
}
