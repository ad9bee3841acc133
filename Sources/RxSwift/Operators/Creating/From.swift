extension ObservableType {
    /// A sequence of `elements`.
    ///
    ///     of(1, 2, 3): --1-2-3-|   on a scheduler, here an action every 2 columns
    ///
    /// ![The elements that are listed](marble-of)
    ///
    /// See ``from(_:scheduler:)-(Sequence,_)``.
    ///
    /// ## See Also
    ///
    /// - [from on reactivex.io](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    @inline(never)
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        From(elements, scheduler)
    }

    /// The elements of an array as a sequence. See ``from(_:scheduler:)-(Sequence,_)``.
    @inlinable
    @inline(never)
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        From(array, scheduler)
    }

    /// The elements of a Swift sequence as an observable sequence.
    ///
    ///     from([1, 2, 3]): --1-2-3-|   on a scheduler, here an action every 2 columns
    ///
    /// ![The elements of an array](marble-from)
    ///
    /// Each subscription makes an iterator. The result completes after the last element, and cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): the loop stops before its next element.
    ///
    /// - Parameters:
    ///   - sequence: the elements, possibly infinitely many.
    ///   - scheduler: runs the loop, one job per element. By default, the loop runs on the current thread's trampoline
    ///     (see ``CurrentThreadScheduler``). There, a job sends elements until other work is queued.
    ///
    /// ## See Also
    ///
    /// - [from on reactivex.io](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    @inline(never)
    public static func from<Sequence: Swift.Sequence>(
        _ sequence: Sequence, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Sequence.Element == Element {
        From(sequence, scheduler)
    }

    /// The value of `optional` as a sequence: ``just(_:)`` or, for nil, ``empty()``.
    ///
    ///     Observable.from(optional: settings["name"])
    ///
    /// The events come before `subscribe` returns, on the subscribing thread. The sequence cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    @inlinable
    @inline(never)
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { just(optional) } else { empty() }
    }

    /// The value of `optional` as a sequence, empty for nil. The events are sent on `scheduler`, one job per event. The
    /// sequence cannot fail.
    ///
    ///     Observable.from(optional: settings["name"], scheduler: background)
    ///
    /// [Pausing](doc:BoundedMemory): nothing is sent during a pause.
    @inlinable
    @inline(never)
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        From(CollectionOfOne(optional).lazy.compactMap { $0 }, scheduler)
    }

    /// A sequence that sends `element` repeatedly until it is disposed of.
    ///
    ///     repeatElement(7): --7-7-7-7-   on a scheduler, here an action every 2 columns
    ///
    /// ![One element, repeated without end](marble-repeat-element)
    ///
    /// The sequence neither completes nor fails.
    ///
    /// [Pausing](doc:BoundedMemory): the loop stops before its next element.
    ///
    /// - Parameters:
    ///   - element: sent each time.
    ///   - scheduler: runs the loop, as in ``from(_:scheduler:)-(Sequence,_)``.
    ///
    /// ## See Also
    ///
    /// - [repeat on reactivex.io](https://reactivex.io/documentation/operators/repeat.html)
    @inlinable
    @inline(never)
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        From(Endless(element), scheduler)
    }
}

@usableFromInline
final class From<Elements: Sequence>: Observable<Elements.Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let elements: Elements
    @usableFromInline
    let scheduler: any ImmediateSchedulerType

    @inlinable
    init(_ elements: Elements, _ scheduler: any ImmediateSchedulerType) {
        self.elements = elements
        self.scheduler = scheduler
        super.init { base, context in
            let me = unsafeDowncast(base, to: From<Elements>.self)
            let loop = FromLoop<Elements>(context.takeTop(for: Elements.Element.self), me.elements.makeIterator())
            loop.start(on: me.scheduler, context)
            return nil
        }
    }
}

@usableFromInline
final class FromLoop<Elements: Sequence>: ColdLoop<Elements.Element>, @unchecked Sendable {  // see ColdLoop
    @usableFromInline
    @exclusivity(unchecked)
    var iterator: Elements.Iterator

    @inlinable
    init(_ sink: Sink<Elements.Element>, _ iterator: Elements.Iterator) {
        self.iterator = iterator
        super.init(sink) { base, mayGoOn in
            let me = unsafeDowncast(base, to: FromLoop<Elements>.self)
            let sink = me.sink
            repeat {
                guard sink.isLive else { return false }
                guard let element = me.iterator.next() else {
                    sink.end(nil)
                    return false
                }
                sink.push(sink, element)
            } while mayGoOn && !Trampoline.hasWaiting
            return true
        }
    }
}

@usableFromInline
struct Endless<Element>: Sequence, IteratorProtocol {
    @usableFromInline
    let element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
    }

    @inlinable
    func next() -> Element? { element }
}
