import RxSwift

extension ObservableType {
    /// Leaves out what is not of the given type.
    ///
    ///     source:           --1--"a"--2--|
    ///     ofType(Int.self): --1-------2--|
    ///
    /// ![The elements of one type](marble-of-type)
    ///
    /// Events stay on the thread on which they come; an error is handed on.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter type: what `as?` asks for.
    @inlinable
    @inline(never)
    public func ofType<Result>(_ type: Result.Type) -> Observable<Result> {
        compactMap { $0 as? Result }
    }
}
