import RxSwift

extension ObservableType {
    /// All elements except the last `count`.
    ///
    ///     source:      --1--2--3--|
    ///     skipLast(1): -----1--2--|
    ///
    /// ![Each element when the next one comes](marble-skip-last)
    ///
    /// Each element causes the delivery of the element `count` positions before it, on the same thread. An error is
    /// passed on. `count` elements are retained until the end.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter count: the number of elements to drop; a negative number stops the process.
    ///
    /// ## See Also
    ///
    /// - [skiplast on reactivex.io](https://reactivex.io/documentation/operators/skiplast.html)
    @inlinable
    @inline(never)
    public __consuming func skipLast(_ count: Int) -> Observable<Element> {
        if count < 0 { rxFatalError("count can't be negative", operator: "skipLast", argument: "count", value: count) }
        return lift(SkipLast(count: count))
    }
}

@usableFromInline
struct SkipLast<Input>: LinearOperator {
    @usableFromInline
    typealias Output = Input

    /// Guards: `latest` is used only by the thread that delivers.
    @usableFromInline
    final class State {
        /// The last elements; at most `count` between two calls of `next`.
        @usableFromInline
        var latest = Ring<Input>()

        @inlinable
        init() {}
    }

    @usableFromInline
    let count: Int

    @inlinable
    init(count: Int) {
        self.count = count
    }

    @inlinable
    func makeState() -> State { State() }

    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? {
        let state = stage.state
        state.latest.append(element)
        return state.latest.count > count ? state.latest.removeFirst() : nil
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
