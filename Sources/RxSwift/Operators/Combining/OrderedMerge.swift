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

/// Delivers the elements of at most `limit` inner sources in the order of the sources.
///
/// The head is the oldest source that has not been delivered completely; its number is `finished`. Its elements are
/// delivered at once, those of other sources wait in slots. A source occupies a place until its completion has been
/// delivered, so at most `limit` slots exist.
///
/// Guards: `slots`, `isDraining`, `isBusy`: the gate's owner.
@usableFromInline
final class OrderedMergeCoordinator<Output>: LimitedFlattener<Output>, FlatteningCoordinator {
    /// The events of a source that is not the head, and those of the head that wait for a resume.
    private final class Slot {
        var elements = Ring<Output>()
        var isDone = false
        /// The source, if it is full: too many of its `elements` wait.
        var full: InnerLifetime?
    }

    /// The number of a source's elements that may wait before it is full.
    private let bound: Int
    private var slots: [Int: Slot] = [:]
    /// Whether a call below on the stack is delivering from the slots: other events of the head then wait.
    private var isDraining = false
    /// Whether `isDraining` or there is a slot.
    @usableFromInline
    @exclusivity(unchecked)
    var isBusy = false

    @usableFromInline
    init(_ context: inout SubscribeContext, limit: Int) {
        bound = context.boundOfPrimarySources
        super.init(&context, "flatMapOrdered", limit: limit)
        hearsOfResumes()
    }

    // MARK: The outer source

    @inlinable
    func add(_ source: consuming Observable<Output>, _: Admission, _ outer: InnerLifetime) {
        let number = made
        let waits = !hasPlace && queue(source)
        made += 1
        if waits { return }
        run(source, number, of: outer)
    }

    @usableFromInline
    func queue(_ source: Observable<Output>) -> Bool { queue(source, unless: hasPlace) }

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
        remove(source)
        if isDeliverable(number) { headCompleted() } else { slot(number).isDone = true }
    }

    /// Whether an event of a source is delivered at once.
    @inlinable
    @inline(__always)
    func isDeliverable(_ number: Int) -> Bool { number == finished && (!isBusy || isHeadClear()) }

    @usableFromInline
    func isHeadClear() -> Bool { !isDraining && slots[finished]?.elements.isEmpty ?? true }

    /// - Parameter source: the element's source, which may become full; nil if this is its only element.
    @usableFromInline
    func hold(_ element: Output, _ number: Int, _ source: InnerLifetime?) {
        let slot = slot(number)
        slot.elements.append(element)
        guard let source else { return slot.isDone = true }
        guard slot.elements.count >= bound, number != finished, slot.full == nil else { return }
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

    /// Makes the next source the head, and delivers its waiting events.
    @inlinable
    @inline(__always)
    func headCompleted() {
        finished += 1
        let next = vacate()
        if isBusy || next != nil { follow(next) } else if hasAll { endIfFinished() }
    }

    /// Continues after the completion of a head. `next` takes its place.
    @usableFromInline
    @inline(never)
    func follow(_ next: Successor?) {
        isDraining = true
        completed(next)
        drain()
    }

    @usableFromInline
    override func resumed() {
        if !isDraining { drain() }
    }

    /// Loops, because the sources that it subscribes to may end at once.
    private func drain() {
        isDraining = true
        isBusy = true
        while deliverHead() {
            finished += 1
            completed(vacate())
        }
        isDraining = false
        isBusy = !slots.isEmpty
        if hasAll { endIfFinished() }
    }

    /// Frees the slot of a completed source, and subscribes to the source that takes its place.
    private func completed(_ next: Successor?) {
        isBusy = true
        if !slots.isEmpty { slots[finished - 1] = nil }
        guard let next, isLive else { return }
        // Sources wait in the order of their numbers, and the first one waits for this place.
        let number = finished + limit - 1
        run(resumeOuter(for: next), number, of: nil)
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
