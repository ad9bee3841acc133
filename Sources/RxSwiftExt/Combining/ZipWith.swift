import RxSwift

extension ObservableConvertibleType {
    /// The results of `resultSelector` for the first elements of both sequences, for the second elements, and so on.
    ///
    ///     a:                               --1-----2--|
    ///     b:                               -----7----8---|
    ///     a.zip(with: b) { $0 * 10 + $1 }: -----17---28--|
    ///
    /// ![The first with the first, the second with the second](marble-zip-with)
    ///
    /// See `Observable.zip(_:resultSelector:)`.
    @inlinable
    @inline(never)
    @preconcurrency
    public func zip<Other: ObservableConvertibleType, ResultType>(
        with second: Other, resultSelector: @escaping @Sendable (Element, Other.Element) throws -> ResultType
    ) -> Observable<ResultType> {
        Observable<ResultType>.zip(asObservable(), second.asObservable(), resultSelector: resultSelector)
    }
}
