extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// `second`, once this has completed. The first error ends the result.
    ///
    /// As ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Single<Element>) -> Single<Element> {
        Single<Element>(raw: andThen(second.source))
    }

    /// `second`, once this has completed. The first error ends the result.
    ///
    /// As ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Maybe<Element>) -> Maybe<Element> {
        Maybe<Element>(raw: andThen(second.source))
    }

    /// `second`, once this has completed. The first error ends the result.
    ///
    /// As ``ObservableType/concat(_:)-swift.method``.
    public func andThen(_ second: Completable) -> Completable {
        concat(second)
    }

    /// `second`, once this has completed. The first error ends the result.
    ///
    /// Chains of it may be as deep as those of ``ObservableType/concat(_:)-method``: the last source is handed on, not
    /// nested.
    ///
    /// As ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func andThen<Element>(_ second: Observable<Element>) -> Observable<Element> {
        AndThen<Element>(source).concat(second)
    }
}

/// A completable as a sequence of another element, of which it has none.
@usableFromInline
final class AndThen<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let first: Observable<Never>

    @inlinable
    init(_ first: Observable<Never>) {
        self.first = first
        super.init { base, assembly in
            assembly.top = Stage<Never, Element>(down: assembly.takeTop(for: Element.self)) { _, _ in }
            return .passUnretained(unsafeDowncast(base, to: AndThen<Element>.self).first)
        }
    }
}
