/// A sequence of events that arrive over time: `next* (error | completed)?`.
///
/// Nothing happens until a subscription is made. Each subscription starts the work again, unless the observable shares
/// it. Events of one subscription are serial. The source and the operators choose the delivering thread.
// @unchecked Sendable because every stored property of every subclass is a `let`, or guarded as its class documents.
public class Observable<Element>: ObservableBase, ObservableType, @unchecked Sendable {
    @inlinable
    override init(join: @escaping Join) {
        super.init(join: join)
    }

    /// Subscribes `observer` to this sequence.
    ///
    /// The observer receives at most one terminal event. It receives no event after `dispose()` of the returned
    /// disposable has returned on the delivering thread. The subscription retains itself; releasing the disposable does
    /// not end it.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    final func subscribe<Observer: ObserverType>(forwardingTo observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let lifetime = ChainLifetime()
        subscribe(last: unsafeDowncast(observer._sink(lifetime), to: SinkBase.self), lifetime)
        return lifetime
    }

    /// Returns this observable.
    @inlinable
    @inline(__always)
    public final func asObservable() -> Observable<Element> { self }
}

/// Another name for ``Observable``, for files in which another framework's type hides it.
public typealias RxObservable<Element> = Observable<Element>
