/// A sequence of events to which observers can subscribe.
public protocol ObservableType: ObservableConvertibleType {
    /// Subscribes `observer` to this sequence.
    ///
    /// - Returns: a disposable that ends the subscription. Releasing it has no effect.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// This sequence as an ``Observable``: serial events, and none after a terminal event.
    @inlinable
    public func asObservable() -> Observable<Element> {
        Observable { _, context in
            context.feed { subscribe($0) }
            return nil
        }
    }
}
