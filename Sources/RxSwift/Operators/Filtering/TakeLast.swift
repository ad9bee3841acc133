extension ObservableType {
    /// The last `count` elements, when the source completes.
    ///
    ///     source:      --1--2--3--|
    ///     takeLast(2): -----------(23|)
    ///
    /// ![The last two elements, when the source completes](marble-take-last)
    ///
    /// Elements are delivered on the thread on which the source completes, except those that wait for a resume. An
    /// error drops the buffer. At most `count` elements are buffered.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused. After its end a loop that can be paused sends the
    /// buffered elements.
    ///
    /// - Parameter count: the number of elements; it must not be negative.
    ///
    /// ## See Also
    ///
    /// - [takelast on reactivex.io](https://reactivex.io/documentation/operators/takelast.html)
    @inlinable
    @inline(never)
    public __consuming func takeLast(_ count: Int) -> Observable<Element> {
        TakeLastProducer(asObservable(), TakeLast(count))
    }
}

@usableFromInline
final class TakeLastProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let op: TakeLast<Element>

    @inlinable
    init(_ source: Observable<Element>, _ op: TakeLast<Element>) {
        self.source = source
        self.op = op
        super.init { base, context in
            let me = unsafeDowncast(base, to: TakeLastProducer<Element>.self)
            if context.isInScope { return me.paced() }
            context.top = LinearSink(context.takeTop(for: Element.self), me.op)
            return me.source
        }
    }

    /// This sequence with a loop that sends the buffered elements and can be paused.
    @usableFromInline
    func paced() -> Observable<Element> {
        source.lift(op).toArray().asObservable().flatMap { Observable.from($0) }
    }
}

@usableFromInline
struct TakeLast<Element>: LinearOperator {
    @usableFromInline
    struct State {
        /// The elements; a ring buffer once it is full.
        @usableFromInline
        var buffer: [Element] = []
        /// The index of the oldest element.
        @usableFromInline
        var oldest = 0

        @inlinable
        init() {}
    }

    @usableFromInline
    let count: Int

    @inlinable
    init(_ count: Int) {
        if count < 0 { rxFatalError("count can't be negative", operator: "takeLast", argument: "count", value: count) }
        self.count = count
    }

    @inlinable
    func makeState() -> State { State() }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Element? {
        if stage.state.buffer.count < count {
            stage.state.buffer.append(element)
        } else if count > 0 {
            let index = stage.state.oldest
            stage.state.oldest = index + 1 == count ? 0 : index + 1
            // The release of the replaced element may call user code, so it follows the change.
            var displaced = element
            swap(&stage.state.buffer[index], &displaced)
        }
        return nil
    }

    @usableFromInline
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let kept = stage.exchange(State())
        guard error == nil else { return error }
        for offset in kept.buffer.indices {
            guard stage.isLive else { break }
            stage.send(kept.buffer[(kept.oldest + offset) % kept.buffer.count])
        }
        return nil
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
