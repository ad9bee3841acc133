extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Runs this completable, then `second`. Fails with the first error.
    ///
    /// See ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Single<Element>) -> Single<Element> {
        Single<Element>(raw: andThen(second.source))
    }

    /// Like ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Maybe<Element>) -> Maybe<Element> {
        Maybe<Element>(raw: andThen(second.source))
    }

    /// Like ``ObservableType/concat(_:)-swift.method``.
    public func andThen(_ second: Completable) -> Completable {
        concat(second)
    }

    /// Like ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Observable<Element>) -> Observable<Element> {
        AndThen<Element>(source).concat(second)
    }
}

@usableFromInline
final class AndThen<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let first: Observable<Never>

    @inlinable
    init(_ first: Observable<Never>) {
        self.first = first
        super.init { base, context in
            context.top = Stage<Never, Element>(down: context.takeTop(for: Element.self)) { _, _ in }
            return unsafeDowncast(base, to: AndThen<Element>.self).first
        }
    }
}
