public import CRxCore

/// A sequence of events that arrive over time: `next* (error | completed)?`.
///
/// A sequence does no work until it is subscribed to. Each subscription starts the work again, unless the sequence is
/// shared. The events of a subscription come one at a time, on a thread that the source and the operators choose.
// @unchecked Sendable because every stored property of every subclass is a `let`, or is guarded as that subclass
// documents.
public class Observable<Element>: ObservableBase, ObservableType, @unchecked Sendable {
    /// By default, `join` makes the observable's ``subjectCore`` the source of the chain.
    @inlinable
    override init(join: @escaping Join = SubjectBase.join) {
        super.init(join: crx_watch_any(CRX_WATCH_LISTING) ? OperatorCall.recorded(in: join) : join)
    }

    /// Subscribes `observer` to this sequence.
    ///
    /// After a disposal, the observer receives no further event, except that a delivery in progress on another thread
    /// may finish. Releasing the returned disposable does not end the subscription.
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

    @inlinable
    @inline(__always)
    public final func asObservable() -> Observable<Element> { self }
}

/// ``Observable``, for files that import another framework's `Observable`.
public typealias RxObservable<Element> = Observable<Element>
