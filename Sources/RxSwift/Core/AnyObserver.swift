/// A type-erased observer.
///
/// The one that `Observable.create` hands out may be used from any thread: its events are delivered one at a time, and
/// after the terminal event, or once the subscription is disposed, nothing is. One made from a closure or an observer
/// forwards whatever it is given, on the thread that gives it.
// @unchecked Sendable because its one property is a let, and what it refers to is guarded by its gate or is the user's
// own.
public struct AnyObserver<Element>: ObserverType, @unchecked Sendable {
    /// What handles events.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    @usableFromInline
    let handle: ObserverHandle<Element>

    @inlinable
    init(handle: ObserverHandle<Element>) {
        self.handle = handle
    }

    /// An observer that calls `eventHandler` with each event.
    ///
    /// - Parameter eventHandler: called on the thread that sends the event.
    @inlinable
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        handle = HandlerHandle(eventHandler)
    }

    /// An observer that forwards each event to `observer`.
    ///
    /// - Parameter observer: what gets the events; it is retained.
    @inlinable
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        handle = (observer as? AnyObserver<Element>)?.handle ?? HandlerHandle(observer.on)
    }

    /// Sends `event` to the observer.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): handle.push(handle, element)
        case .error(let error): handle.end(error)
        case .completed: handle.end(nil)
        }
    }

    /// This observer itself.
    public func asObserver() -> AnyObserver<Element> { self }

    /// Without an event around each element.
    public func _sink(_ disposer: AnyObject) -> AnyObject {
        ForwardSink(self, disposer) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<AnyObserver<Element>>.self)
            if me.isLive { me.observer.handle.push(me.observer.handle, element) }
        }
    }

    /// The same for the end.
    public func _end(_ error: (any Swift.Error)?) {
        handle.end(error)
    }
}

extension ObserverType {
    /// This observer, type-erased.
    @inlinable
    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// An observer of another element, each of which is transformed for this one; an error that `transform` throws is
    /// sent as the terminal event.
    ///
    /// - Parameter transform: called with each element, on the thread that sends it.
    @preconcurrency
    public func mapObserver<Result>(_ transform: @escaping @Sendable (Result) throws -> Element) -> AnyObserver<Result>
    {
        AnyObserver<Result>(handle: HandlerHandle({ event in self.on(event.map(transform)) }))
    }
}

@usableFromInline
final class HandlerHandle<Element>: ObserverHandle<Element> {
    @usableFromInline
    let handler: (Event<Element>) -> Void

    @inlinable
    init(_ handler: @escaping (Event<Element>) -> Void) {
        self.handler = handler
        super.init(push: { base, element in
            unsafeDowncast(base, to: HandlerHandle<Element>.self).handler(.next(element))
        })
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        handler(Event(end: error))
    }
}
