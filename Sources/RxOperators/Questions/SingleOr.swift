import RxSwift

extension ObservableType {
    /// The only element, or `default` if the source completes without one.
    ///
    ///     source:        --1--|
    ///     single(or: 7): -----(1|)
    ///
    /// ![The one element, when the source completes](marble-single-or)
    ///
    ///     source:        --1--2--|
    ///     single(or: 7): -----#
    ///
    /// ![An error at the second element](marble-single-or-more)
    ///
    /// Fails with `RxError.moreThanOneElement` at the second element. The element, or an error of the source, is
    /// delivered on the thread that ends the source.
    ///
    /// Pausing: the source never pauses.
    @inlinable
    @inline(never)
    public __consuming func single(or default: Element) -> Single<Element> {
        ifEmpty(default: `default`).asSingle()
    }
}
