import RxSwift

extension ObservableType where Element: Equatable {
    /// Leaves out the elements that equal one of the values.
    ///
    ///     source:       --1--2--3--|
    ///     ignore(1, 3): -----2-----|
    ///
    /// ![All elements but those that are named](marble-ignore)
    ///
    /// Elements are compared on the thread on which they come, and stay there; an error is handed on.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter valuesToIgnore: what is left out.
    @inlinable
    @inline(never)
    public func ignore(_ valuesToIgnore: Element...) -> Observable<Element> {
        filter(unchecked { !valuesToIgnore.contains($0) })
    }

    /// Leaves out the elements that equal one of the values.
    ///
    ///     ports.ignore(0..<1024)
    ///
    /// Events stay on the thread on which they come; an error is handed on.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter valuesToIgnore: asked for each element, on the thread that delivers it. A set or a range answers at
    ///   once, another sequence is gone through, so it must be one that can be gone through again.
    @inlinable
    @inline(never)
    public func ignore<Sequence: Swift.Sequence>(_ valuesToIgnore: Sequence) -> Observable<Element>
    where Sequence.Element == Element {
        filter(unchecked { !valuesToIgnore.contains($0) })
    }
}
