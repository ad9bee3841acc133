import RxCocoa
import RxSwift

extension ObservableType {
    /// Sends the values of the optionals, and drops nil.
    ///
    ///     source:   --1--nil--3--|
    ///     unwrap(): --1-------3--|
    ///
    /// ![The elements that are not nil](marble-unwrap)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func unwrap<Result>() -> Observable<Result> where Element == Result? {
        compactMap { $0 }
    }
}

extension SharedSequence {
    /// Like `ObservableType.unwrap()`.
    @inlinable
    public func unwrap<Result>() -> SharedSequence<SharingStrategy, Result> where Element == Result? {
        SharedSequence<SharingStrategy, Result>(asObservable().unwrap())
    }
}
