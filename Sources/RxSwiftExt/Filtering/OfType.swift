import RxSwift

extension ObservableType {
    /// Drops the elements that are not of type `type`.
    ///
    ///     source:           --1--"a"--2--|
    ///     ofType(Int.self): --1-------2--|
    ///
    /// ![The elements of one type](marble-of-type)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func ofType<Result>(_ type: Result.Type) -> Observable<Result> {
        compactMap { $0 as? Result }
    }
}
