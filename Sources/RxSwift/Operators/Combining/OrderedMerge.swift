extension ObservableType {
    @inlinable
    package __consuming func flattenOrdered<Source: ObservableConvertibleType>(
        maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { OrderedMergeCoordinator(&$0, limit: maxConcurrent) }
    }
}

/// Runs at most `limit` inner sources at a time, and delivers the elements in the order of the sources.
///
/// A source is *finished* when its elements have been delivered and its completion has been handled. The *head* is the
/// oldest unfinished source; its number equals the count of finished sources. The head's elements are delivered
/// immediately. Elements of other sources wait in *slots*. A source counts as running until it is finished, so there
/// are at most `limit` slots.
///
/// Guards: only the owner of the gate (see ``Coordinator``) uses `slots`, `isDraining` and `isBusy`.
@usableFromInline
final class OrderedMergeCoordinator<Output>: LimitedFlattener<Output>, FlatteningCoordinator {
    /// The waiting events of one source.
    private final class Slot {
        var elements = Ring<Output>()
        var isDone = false
        /// The source if its waiting elements have paused it, else nil. The source pauses when `bound` elements wait,
        /// and resumes when none waits.
        var full: InnerLifetime?
    }

    private let bound: Int
    private var slots: [Int: Slot] = [:]
    /// Whether `follow` or `drain` is running. During that time, the completion of the head waits in its slot, so that
    /// completions do not nest. If the head is a source of one element (a ``Scalar``), that element waits there too.
    private var isDraining = false
    /// Whether `isDraining` is true or there is a slot.
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

    // MARK: Events, by the thread that owns the gate

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
        if number == ending.finished && (!isBusy || isHeadEmpty) {
            deliver(element)
        } else {
            hold(element, number, source)
        }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ number: Int, _ source: InnerLifetime) {
        if let error { return fail(error) }
        remove(source)
        if isDeliverable(number) { headCompleted() } else { slot(number).isDone = true }
    }

    @inlinable
    @inline(__always)
    func isDeliverable(_ number: Int) -> Bool { number == ending.finished && (!isBusy || isHeadClear()) }

    @usableFromInline
    func isHeadClear() -> Bool { !isDraining && isHeadEmpty }

    /// Whether no element of the head waits.
    @usableFromInline
    var isHeadEmpty: Bool { slots[ending.finished]?.elements.isEmpty ?? true }

    /// - Parameter source: the source to pause if too many of its elements wait; nil for a source of one element.
    @usableFromInline
    func hold(_ element: Output, _ number: Int, _ source: InnerLifetime?) {
        let slot = slot(number)
        slot.elements.append(element)
        guard let source else { return slot.isDone = true }
        guard slot.elements.count >= bound, number != ending.finished, slot.full == nil else { return }
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

    @inlinable
    @inline(__always)
    func headCompleted() {
        ending.finished += 1
        let next = vacate()
        if isBusy || next != nil { follow(next) } else if ending.hasAll { endIfFinished() }
    }

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

    /// Delivers the waiting elements, source by source, up to and including the first source that has not completed.
    private func drain() {
        isDraining = true
        isBusy = true
        while deliverHead() {
            ending.finished += 1
            completed(vacate())
        }
        isDraining = false
        isBusy = !slots.isEmpty
        if ending.hasAll { endIfFinished() }
    }

    private func completed(_ next: Successor?) {
        isBusy = true
        if !slots.isEmpty { slots[ending.finished - 1] = nil }
        guard let next, isLive else { return }
        // This is the number of `next`, because sources start in the order of their numbers.
        let number = ending.finished + limit - 1
        run(resumeOuter(for: next), number, of: nil)
    }

    private func deliverHead() -> Bool {
        while !slots.isEmpty, isLive, let slot = slots[ending.finished] {
            if slot.elements.isEmpty {
                if let full = slot.full.take() { setFull(false, full) }
                return slot.isDone
            }
            if keepsForResume() { return false }
            deliver(slot.elements.removeFirst())
        }
        return false
    }
}
