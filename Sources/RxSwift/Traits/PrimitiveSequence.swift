/// A sequence with a promise about how many elements it sends: ``Single``, ``Maybe`` or ``Completable``.
///
/// It is an ``Observable`` inside: each operator is the observable's, and keeps its threads, errors and disposal.
public struct PrimitiveSequence<Trait, Element>: Sendable {
    @usableFromInline
    let source: Observable<Element>

    /// Trusts that `raw` keeps the promise of the trait.
    @inlinable
    package init(raw: Observable<Element>) {
        source = raw
    }

    /// The same for the packages beside the core.
    @_spi(RxServer)
    public static func trusting(_ raw: Observable<Element>) -> PrimitiveSequence { PrimitiveSequence(raw: raw) }
}

/// What a ``PrimitiveSequence`` is, so that extensions can be written for one trait.
public protocol PrimitiveSequenceType {
    /// The promise: ``SingleTrait``, ``MaybeTrait`` or ``CompletableTrait``.
    associatedtype Trait

    /// The type of the element.
    associatedtype Element

    /// The sequence itself.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// This sequence itself.
    @inlinable
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// The sequence as a plain observable: a success is an element followed by completion.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

extension PrimitiveSequenceType {
    @inlinable
    var source: Observable<Element> { primitiveSequence.source }
}
