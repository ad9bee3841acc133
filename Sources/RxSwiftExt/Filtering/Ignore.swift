import RxSwift

extension ObservableType where Element: Equatable {
    /// Drops the elements that equal one of `valuesToIgnore`.
    ///
    ///     source:       --1--2--3--|
    ///     ignore(1, 3): -----2-----|
    ///
    /// ![All elements except the given ones](marble-ignore)
    ///
    /// Elements are compared and delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func ignore(_ valuesToIgnore: Element...) -> Observable<Element> {
        filterUnchecked { !valuesToIgnore.contains($0) }
    }

    /// Drops the elements that `valuesToIgnore` contains.
    ///
    ///     ports.ignore(0..<1024)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter valuesToIgnore: a set or a range is searched in constant time. Any other sequence is iterated for
    ///   each element, so it must allow repeated iteration.
    @inlinable
    @inline(never)
    public func ignore<Sequence: Swift.Sequence>(_ valuesToIgnore: Sequence) -> Observable<Element>
    where Sequence.Element == Element {
        filterUnchecked { !valuesToIgnore.contains($0) }
    }
}
