import RxSwift

extension ObservableType {
    /// Completes when this sequence fails.
    ///
    ///     source:                   --1--2--#
    ///     catchErrorJustComplete(): --1--2--|
    ///
    /// ![The end in place of the error](marble-catch-error-just-complete)
    ///
    /// The completion is delivered on the thread that delivers the error.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func catchErrorJustComplete() -> Observable<Element> {
        `catch` { _ in Observable.empty() }
    }
}
