import RxSwift

extension ObservableType {
    /// Applies `transform` to this sequence, so that several chains can use the same series of operators.
    ///
    ///     source:         --1--2--|
    ///     apply(doubled): --2--4--|
    ///
    /// ![The result of the function for the sequence](marble-apply)
    ///
    ///     func polite<T>(_ source: Observable<T>) -> Observable<T> {
    ///         source.timeout(.seconds(5), scheduler: background).retry(3)
    ///     }
    ///
    ///     requests.apply(polite).subscribe(onNext: show)
    ///
    /// Threads, errors and pauses are those of the sequence that `transform` returns.
    ///
    /// - Parameter transform: called immediately.
    @inlinable
    public func apply<Result>(_ transform: (Observable<Element>) -> Observable<Result>) -> Observable<Result> {
        transform(asObservable())
    }
}

extension PrimitiveSequenceType {
    /// Like ``ObservableType/apply(_:)``.
    @inlinable
    public func apply<Result>(
        _ transform: (PrimitiveSequence<Trait, Element>) -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        transform(primitiveSequence)
    }
}
