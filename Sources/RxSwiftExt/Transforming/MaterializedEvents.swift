import RxSwift

extension ObservableType where Element: EventConvertible {
    /// The elements of a materialized sequence.
    ///
    ///     source:     --next(1)--error(e)--|
    ///     elements(): --1------------------|
    ///
    /// ![The elements of materialized events](marble-elements)
    ///
    /// With ``errors()``, this operator separates the values of requests from their failures. A failed request then
    /// does not end the whole sequence:
    ///
    ///     let results = ids.flatMap { request($0).materialize() }.share()
    ///     let values = results.elements()
    ///     let failures = results.errors()
    ///
    /// Events are delivered on the sending thread. Errors and completions inside the elements are dropped; an error of
    /// the source is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func elements() -> Observable<Element.Element> {
        compactMapUnchecked { $0.event.element }
    }

    /// The errors of a materialized sequence, as elements. See ``elements()``.
    ///
    ///     source:   --next(1)--error(e)--|
    ///     errors(): -----------e---------|
    ///
    /// ![The errors of materialized events](marble-errors)
    @inlinable
    @inline(never)
    public func errors() -> Observable<any Error> {
        compactMapUnchecked { $0.event.error }
    }
}
