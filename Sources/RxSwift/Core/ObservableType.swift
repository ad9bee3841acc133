/// What can be subscribed to.
public protocol ObservableType: ObservableConvertibleType {
    /// Subscribes `observer` to the events of this sequence.
    ///
    /// - Returns: what ends the subscription. The subscription keeps itself alive until it ends.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// This sequence as an ``Observable``: a foreign ObservableType is wrapped, and so keeps the grammar of events.
    @inlinable
    public func asObservable() -> Observable<Element> {
        Observable { _, assembly in
            assembly.feed { subscribe($0) }
            return nil
        }
    }
}
