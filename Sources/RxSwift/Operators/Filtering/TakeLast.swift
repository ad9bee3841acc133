extension ObservableType {
    /// Sends the last `count` elements when the source completes.
    ///
    ///     source:      --1--2--3--|
    ///     takeLast(2): -----------(23|)
    ///
    /// ![The last two elements, when the source completes](marble-take-last)
    ///
    /// The elements are delivered on the thread that completes the source, or on the thread of a later resume. If the
    /// source fails, the elements are dropped. At most `count` elements are buffered.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused. After its completion, a pause interrupts the delivery of
    /// the elements.
    ///
    /// - Parameter count: must not be negative.
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

    @usableFromInline
    func paced() -> Observable<Element> {
        source.lift(op).toArray().asObservable().flatMap { Observable.from($0) }
    }
}

/// Sends the last `count` elements when the source completes. A pause interrupts the delivery only if
/// ``TakeLastProducer`` is used.
@usableFromInline
package struct TakeLast<Element>: LinearOperator {
    @usableFromInline
    package struct State {
        /// The latest elements. When full, a ring buffer that starts at `oldest`.
        @usableFromInline
        var buffer: [Element] = []
        @usableFromInline
        var oldest = 0

        @inlinable
        init() {}
    }

    @usableFromInline
    let count: Int

    @inlinable
    package init(_ count: Int) {
        if count < 0 { rxFatalError("count can't be negative", operator: "takeLast", argument: "count", value: count) }
        self.count = count
    }

    @inlinable
    package func makeState() -> State { State() }

    @inlinable
    @inline(__always)
    package func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Element? {
        if stage.state.buffer.count < count {
            stage.state.buffer.append(element)
        } else if count > 0 {
            let index = stage.state.oldest
            stage.state.oldest = index + 1 == count ? 0 : index + 1
            // `displaced` is released after the assignment, because its `deinit` may call user code that uses `buffer`.
            var displaced = element
            swap(&stage.state.buffer[index], &displaced)
        }
        return nil
    }

    @usableFromInline
    package func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let kept = stage.exchange(State())
        guard error == nil else { return error }
        for offset in kept.buffer.indices {
            guard stage.isLive else { break }
            stage.send(kept.buffer[(kept.oldest + offset) % kept.buffer.count])
        }
        return nil
    }

    @inlinable
    package static var asksWhetherLive: Bool { false }

    @inlinable
    package static var endsEarly: Bool { false }
}
