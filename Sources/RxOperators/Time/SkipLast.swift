import RxSwift

extension ObservableType {
    /// All elements except the last `count`.
    ///
    ///     source:      --1--2--3--|
    ///     skipLast(1): -----1--2--|
    ///
    /// ![Each element when the next one comes](marble-skip-last)
    ///
    /// An element is delivered when the element `count` positions later comes, on the thread that sends that one. An
    /// error is passed on. The operator retains `count` elements until the end.
    ///
    /// Pausing: the source pauses with the chain below.
    ///
    /// - Parameter count: how many elements to drop; it must not be negative.
    ///
    /// ## See Also
    ///
    /// - [skiplast on reactivex.io](https://reactivex.io/documentation/operators/skiplast.html)
    public __consuming func skipLast(_ count: Int) -> Observable<Element> {
        if count < 0 { rxFatalError("count can't be negative", operator: "skipLast", argument: "count", value: count) }
        return lift(SkipLast(count: count))
    }
}

private struct SkipLast<Input>: LinearOperator {
    typealias Output = Input

    /// Guards: `latest` belongs to the thread that delivers.
    final class State {
        /// At most `count` elements between two calls.
        var latest = Ring<Input>()
    }

    let count: Int

    func makeState() -> State { State() }

    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? {
        let state = stage.state
        state.latest.append(element)
        return state.latest.count > count ? state.latest.removeFirst() : nil
    }

    static var asksWhetherLive: Bool { false }

    static var endsEarly: Bool { false }
}
