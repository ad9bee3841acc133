import RxSwift

/// A sequence that cannot fail, delivers on its strategy's scheduler, and has one source subscription for all
/// observers.
///
/// A ``Driver`` sends a new observer the latest element; a ``Signal`` does not. Each operator applies the same operator
/// of `Observable` and shares the result again. So its closures are called once for each element, regardless of the
/// number of observers.
///
/// Elements are delivered on the sharing scheduler: the main queue, unless ``SharingScheduler/use(_:)`` was called. A
/// replayed element and the element of `startWith` pass through all later operators on the subscribing thread. Any
/// thread may subscribe and dispose.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element>: SharedSequenceConvertibleType, Sendable
{
    @usableFromInline
    let source: Observable<Element>

    /// Shares `source`, which must deliver on the strategy's scheduler and must not fail.
    @inlinable
    package init(_ source: Observable<Element>) {
        self.source = SharingStrategy.share(source)
    }

    /// Like `init(_:)`, without sharing.
    @inlinable
    package init(raw source: Observable<Element>) {
        self.source = source
    }

    @inlinable
    public func asObservable() -> Observable<Element> { source }

    @inlinable
    public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }

    /// The sequence as an `Infallible`. An error of the source becomes a completion.
    @inlinable
    public func asInfallible() -> Infallible<Element> { asInfallible(onErrorFallbackTo: .empty()) }

    /// The elements for a `for await` loop.
    ///
    /// Reading this property subscribes. Elements wait in an unbounded buffer. The subscription is disposed of when the
    /// task is cancelled or the stream is released. A stream that you store continues to collect elements after a
    /// `break`.
    @MainActor
    public var values: AsyncStream<Element> { Infallible(source).values }

    /// The elements for a `for await` loop, with a bounded buffer.
    ///
    /// Each loop subscribes on the main actor when it requests its first element, and disposes of the subscription when
    /// the loop ends. The end of the sequence is never dropped.
    ///
    /// - Parameter buffering: the maximum number of waiting elements, and the policy when that number is reached.
    @MainActor
    public func values(buffering: Buffering) -> InfallibleValues<Element> {
        Infallible(source).values(buffering: buffering)
    }
}

/// A type that can be converted to a ``SharedSequence``.
public protocol SharedSequenceConvertibleType: ObservableConvertibleType {
    /// How the sequence is shared.
    associatedtype SharingStrategy: SharingStrategyProtocol

    /// The value as a shared sequence.
    func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
    @inlinable
    public func asObservable() -> Observable<Element> { asSharedSequence().asObservable() }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// The sequence itself.
    @inlinable
    public func asDriver() -> Driver<Element> { asSharedSequence() }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The sequence itself.
    @inlinable
    public func asSignal() -> Signal<Element> { asSharedSequence() }
}
