/// A sequence whose trait determines the number of its elements: ``Single``, ``Maybe`` or ``Completable``.
///
/// It wraps an ``Observable``, and its operators behave like the observable's.
public struct PrimitiveSequence<Trait, Element>: Sendable {
    @usableFromInline
    let source: Observable<Element>

    /// The caller ensures that the observable meets the contract of the trait.
    @inlinable
    package init(raw: Observable<Element>) {
        source = raw
    }

    /// Like `init(raw:)`, for other packages.
    @_spi(RxServer)
    public static func trusting(_ raw: Observable<Element>) -> PrimitiveSequence { PrimitiveSequence(raw: raw) }
}

/// A ``PrimitiveSequence`` as a protocol, so that extensions can constrain the trait.
public protocol PrimitiveSequenceType {
    /// The contract: ``SingleTrait``, ``MaybeTrait`` or ``CompletableTrait``.
    associatedtype Trait

    /// The type of the element.
    associatedtype Element

    /// The sequence itself.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    @inlinable
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// The wrapped observable. A success becomes an element and the completion.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

extension PrimitiveSequenceType {
    @inlinable
    var source: Observable<Element> { primitiveSequence.source }
}
