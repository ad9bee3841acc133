/// A sequence of events that arrive over time: `next* (error | completed)?`.
///
/// Nothing happens until it is subscribed to; each subscription starts the work anew, unless the observable shares it.
/// Events of one subscription are serial. Which thread delivers them is the source's and the operators' choice.
// @unchecked Sendable because every stored property of every subclass is a let, or guarded as its class says.
public class Observable<Element>: ObservableBase, ObservableType, @unchecked Sendable {
    @inlinable
    override init(join: @escaping Join) {
        super.init(join: join)
    }

    /// Subscribes `observer` to this sequence.
    ///
    /// The observer gets at most one terminal event, and nothing once the returned Disposable's `dispose()` has
    /// returned on the delivering thread. The subscription keeps itself alive; dropping the Disposable does not end it.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    final func subscribe<Observer: ObserverType>(forwardingTo observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let disposer = SinkDisposer()
        subscribe(last: unsafeDowncast(observer._sink(disposer), to: SinkBase.self), disposer)
        return disposer
    }

    /// This observable itself.
    @inlinable
    @inline(__always)
    public final func asObservable() -> Observable<Element> { self }
}

/// Another name of ``Observable``, for files in which a framework's type hides it.
public typealias RxObservable<Element> = Observable<Element>
