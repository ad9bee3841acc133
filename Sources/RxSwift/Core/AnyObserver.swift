/// A type-erased observer.
///
/// Any thread may use the observer that `Observable.create` passes to its closure. Its events are delivered one at a
/// time, and none after the terminal event or the disposal. An observer made from a closure or another observer
/// forwards each event on the calling thread.
// @unchecked Sendable because the only property is a `let`. Its object serializes events with a gate, or calls the
// program's own observer or closure.
public struct AnyObserver<Element>: ObserverType, @unchecked Sendable {
    /// A closure that handles events.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    @usableFromInline
    let handle: ObserverHandle<Element>

    @inlinable
    init(handle: ObserverHandle<Element>) {
        self.handle = handle
    }

    /// Makes an observer that calls `eventHandler` with each event, on the sending thread.
    @inlinable
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        handle = HandlerHandle(eventHandler)
    }

    /// Makes an observer that retains `observer` and forwards each event to it.
    @inlinable
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        handle = (observer as? AnyObserver<Element>)?.handle ?? HandlerHandle(observer.on)
    }

    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): handle.push(handle, element)
        case .error(let error): handle.end(error)
        case .completed: handle.end(nil)
        }
    }

    public func asObserver() -> AnyObserver<Element> { self }

    public func _sink(_ lifetime: AnyObject) -> AnyObject {
        ForwardSink(self, lifetime) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<AnyObserver<Element>>.self)
            if me.isLive { me.observer.handle.push(me.observer.handle, element) }
        }
    }

    public func _end(_ error: (any Swift.Error)?) {
        handle.end(error)
    }
}

extension ObserverType {
    /// This observer as an ``AnyObserver``.
    @inlinable
    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// An observer that transforms each element, on the sending thread, and sends the result to this observer. An error
    /// that `transform` throws is sent as the terminal event.
    @preconcurrency
    public func mapObserver<Result>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
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
