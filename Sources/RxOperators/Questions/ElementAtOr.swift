import RxSwift

extension ObservableType {
    /// The element at `index`, or `default` if the source completes before it.
    ///
    ///     source:                --1--2--|
    ///     element(at: 2, or: 7): --------(7|)
    ///
    /// ![A value in place of the third element](marble-element-at-or)
    ///
    /// The source is disposed of at that element. Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - index: counted from 0; a negative number stops the process.
    ///   - default: sent if the source completes before that element.
    @inlinable
    @inline(never)
    public __consuming func element(at index: Int, or default: Element) -> Single<Element> {
        if index < 0 { rxFatalError("index can't be negative", operator: "element", argument: "at", value: index) }
        return PrimitiveSequence(raw: skip(index).take(1).ifEmpty(default: `default`))
    }
}
