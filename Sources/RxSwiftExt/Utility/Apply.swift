import RxSwift

extension ObservableType {
    /// What `transform` makes of this sequence: for steps that several chains share, in the order in which they are
    /// read.
    ///
    ///     source:         --1--2--|
    ///     apply(doubled): --2--4--|
    ///
    /// ![What the function makes of the sequence](marble-apply)
    ///
    ///     func polite<T>(_ source: Observable<T>) -> Observable<T> {
    ///         source.timeout(.seconds(5), scheduler: background).retry(3)
    ///     }
    ///
    ///     requests.apply(polite).subscribe(onNext: show)
    ///
    /// It adds nothing of its own: threads and errors are those of what `transform` returns, and it pauses as that
    /// does.
    ///
    /// - Parameter transform: called once, at once.
    @inlinable
    public func apply<Result>(_ transform: (Observable<Element>) -> Observable<Result>) -> Observable<Result> {
        transform(asObservable())
    }
}

extension PrimitiveSequenceType {
    /// What `transform` makes of this sequence. See ``ObservableType/apply(_:)``.
    ///
    /// - Parameter transform: called once, at once.
    @inlinable
    public func apply<Result>(
        _ transform: (PrimitiveSequence<Trait, Element>) -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        transform(primitiveSequence)
    }
}
