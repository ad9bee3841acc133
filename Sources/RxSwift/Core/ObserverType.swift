/// Something that takes the events of a sequence.
public protocol ObserverType {
    /// The type of the elements.
    associatedtype Element

    /// Takes one event.
    ///
    /// An observer expects its calls one after the other, not at the same time from several threads, and nothing after
    /// the end.
    func on(_ event: Event<Element>)
}

extension ObserverType {
    /// Sends an element: `on(.next(element))`.
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    /// Sends the successful end: `on(.completed)`.
    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    /// Sends an error: `on(.error(error))`.
    @inlinable
    public func onError(_ error: any Swift.Error) {
        on(.error(error))
    }
}
