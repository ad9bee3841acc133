/// A receiver of the events of a sequence.
public protocol ObserverType {
    /// The type of the elements.
    associatedtype Element

    /// Handles one event. Calls must be serial, and no call may follow the terminal event.
    func on(_ event: Event<Element>)

    /// Makes the terminal observer of a chain that delivers to this observer. Declared in the protocol, so that the
    /// compiler specialises the function.
    func _sink(_ lifetime: AnyObject) -> AnyObject

    /// Handles an element.
    func _next(_ element: Element)

    /// Handles the error, or the completion if `error` is nil.
    func _end(_ error: (any Swift.Error)?)
}

extension ObserverType {
    @inlinable
    public func _sink(_ lifetime: AnyObject) -> AnyObject {
        ForwardSink(self, lifetime) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<Self>.self)
            if me.isLive { me.observer._next(element) }
        }
    }

    @inlinable
    public func _next(_ element: Element) {
        on(.next(element))
    }

    @inlinable
    public func _end(_ error: (any Swift.Error)?) {
        on(Event(end: error))
    }

    /// Sends an element.
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    /// Sends the completion.
    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    /// Sends an error.
    @inlinable
    public func onError(_ error: any Swift.Error) {
        on(.error(error))
    }
}
