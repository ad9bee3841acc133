import RxCocoa
import RxSwift

extension ObservableType where Element == Bool {
    /// Negates each element.
    ///
    ///     source: --true---false--|
    ///     not():  --false--true---|
    ///
    /// ![True for false, false for true](marble-not)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func not() -> Observable<Bool> {
        map(!)
    }
}

extension SharedSequenceConvertibleType where Element == Bool {
    /// Like `ObservableType.not()`.
    @inlinable
    public func not() -> SharedSequence<SharingStrategy, Bool> {
        SharedSequence(asObservable().not())
    }
}
