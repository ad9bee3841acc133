import RxSwift

/// A sequence that cannot fail, delivers on its strategy's scheduler, and has one subscription to its source for all
/// observers.
///
/// The strategy says how it is shared: a ``Driver`` tells a new observer the latest element, a ``Signal`` does not. It
/// is an `Observable` inside: each operator is the observable's, shared again, so that its closures are called once for
/// each element, however many observe the result.
///
/// Elements arrive on the sharing scheduler, which is the main queue unless ``SharingScheduler/use(_:)`` says
/// otherwise; what a driver replays, and the element of `startWith`, arrive on the thread that subscribes, through all
/// the closures of operators between. Any thread may subscribe and dispose.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element>: SharedSequenceConvertibleType, Sendable
{
    @usableFromInline
    let source: Observable<Element>

    /// Shares `source`, which delivers on the strategy's scheduler and does not fail.
    @inlinable
    package init(_ source: Observable<Element>) {
        self.source = SharingStrategy.share(source)
    }

    /// Trusts that `source` needs no sharing, delivers on the strategy's scheduler and does not fail.
    @inlinable
    package init(raw source: Observable<Element>) {
        self.source = source
    }

    /// The sequence as a plain observable.
    @inlinable
    public func asObservable() -> Observable<Element> { source }

    /// The sequence itself.
    @inlinable
    public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }

    /// The sequence as an `Infallible`, shared and delivered as it is; an error that comes in spite of the promise
    /// becomes completion.
    @inlinable
    public func asInfallible() -> Infallible<Element> { asInfallible(onErrorFallbackTo: .empty()) }

    /// The elements for a `for await` loop.
    ///
    /// Reading this property subscribes; elements wait in an unbounded buffer until the loop takes them. The
    /// subscription is disposed when the task is cancelled or the stream dropped: written in the head of the loop, it
    /// is dropped when that is left. A stream that you keep goes on gathering after a `break`.
    @MainActor
    public var values: AsyncStream<Element> { Infallible(source).values }

    /// The elements for a `for await` loop, of which not all may wait until the loop takes them.
    ///
    /// As ``values``, but for the buffer. An element that finds no place is dropped; the end never is.
    ///
    /// - Parameter bufferingPolicy: which elements wait, and how many.
    @MainActor
    public func values(bufferingPolicy: ValuesBufferingPolicy) -> AsyncStream<Element> {
        Infallible(source).values(bufferingPolicy: bufferingPolicy)
    }
}

/// A type that can be turned into a ``SharedSequence``.
public protocol SharedSequenceConvertibleType: ObservableConvertibleType {
    /// How the sequence is shared.
    associatedtype SharingStrategy: SharingStrategyProtocol

    /// The value as a shared sequence.
    func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
    /// The sequence as a plain observable.
    @inlinable
    public func asObservable() -> Observable<Element> { asSharedSequence().asObservable() }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// The sequence as a driver, which it is.
    @inlinable
    public func asDriver() -> Driver<Element> { asSharedSequence() }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The sequence as a signal, which it is.
    @inlinable
    public func asSignal() -> Signal<Element> { asSharedSequence() }
}
