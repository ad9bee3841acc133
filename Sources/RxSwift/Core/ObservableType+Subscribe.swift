extension ObservableType {
    /// Subscribes a closure to the events of this sequence. `on` is called on the delivering thread. Disposing of the
    /// result ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let lifetime = ChainLifetime()
        asObservable().subscribe(last: EventSink(on, lifetime), lifetime)
        return lifetime
    }

    /// Like ``subscribe(_:)``, for a closure that is not `@Sendable`.
    @inlinable
    package func subscribeUnchecked(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
        let lifetime = ChainLifetime()
        asObservable().subscribe(last: EventSink(on, lifetime), lifetime)
        return lifetime
    }

    /// Subscribes closures to the elements and the end of this sequence.
    ///
    /// `onNext`, `onError` and `onCompleted` are called on the delivering thread, and `onDisposed` once, after the
    /// terminal event or the disposal. Without `onError`, an error is passed to ``Hooks/defaultErrorHandler``.
    /// Disposing of the result ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext, onError, onCompleted, onDisposed)
    }

    /// Like ``subscribe(onNext:onError:onCompleted:onDisposed:)``, with `object` as the closures' first argument. The
    /// subscription does not retain `object`. After its deallocation, no closure is called.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            whileAlive(object, onNext), whileAlive(object, onError), whileAlive(object, onCompleted),
            whileAlive(object, onDisposed))
    }
}

@inlinable
package func whileAlive<Object: AnyObject, Input>(
    _ object: Object, _ body: ((Object, Input) -> Void)?
) -> ((Input) -> Void)? {
    guard let body else { return nil }
    return { [weak object] input in
        if let object { body(object, input) }
    }
}

@inlinable
func whileAlive<Object: AnyObject>(_ object: Object, _ body: ((Object) -> Void)?) -> (() -> Void)? {
    guard let body else { return nil }
    return { [weak object] in
        if let object { body(object) }
    }
}

extension Observable {
    /// Not inlined, so that a client contains this code only once for each element type.
    @inlinable
    @inline(never)
    package final func subscribe(
        _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?,
        _ onDisposed: (() -> Void)?
    ) -> any Disposable {
        if Scalar.deliver(from: self, onNext, onCompleted, onDisposed) { return EndedDisposable() }
        if onError == nil && onCompleted == nil && onDisposed == nil,
            let subscription = DirectSubjectSubscription.make(self, onNext)
        {
            return subscription
        }
        let lifetime = ChainLifetime.make(onDisposed)
        subscribe(last: ClosureSink.make(onNext, onError, onCompleted, lifetime), lifetime)
        return lifetime
    }
}
