/// Something that takes the events of a sequence.
public protocol ObserverType {
    /// The type of the elements.
    associatedtype Element

    /// Takes one event.
    ///
    /// An observer expects its calls one after the other, not at the same time from several threads, and nothing after
    /// the end.
    func on(_ event: Event<Element>)

    /// The last sink of a chain that delivers to this observer. It is asked for, because it is made in specialised code
    /// only where the observer's type is known. For the sequences of this library.
    func _sink(_ disposer: AnyObject) -> AnyObject

    /// Takes the end that stands for `error`. For the sequences of this library.
    func _end(_ error: (any Swift.Error)?)
}

extension ObserverType {
    /// One that calls ``on(_:)`` with each event.
    @inlinable
    public func _sink(_ disposer: AnyObject) -> AnyObject {
        ForwardSink(self, disposer) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<Self>.self)
            if me.isLive { me.observer.on(.next(element)) }
        }
    }

    /// Calls ``on(_:)``.
    @inlinable
    public func _end(_ error: (any Swift.Error)?) {
        on(Event(end: error))
    }

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
