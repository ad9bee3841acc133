import RxSwift

// The handlers are unapplied methods: `source.subscribe(weak: self, Screen.show)`.

extension ObservableType {
    /// Subscribes a method of `obj`, called with each event while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, Screen.handle)
    ///
    /// The subscription does not retain `obj`. After `obj` is released, the subscription continues without effect.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - on: the method, called on the delivering thread.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        weak obj: Object, _ on: @escaping @Sendable (Object) -> (Event<Element>) -> Void
    ) -> any Disposable {
        subscribeUnchecked(weakly(obj, on))
    }

    /// Subscribes methods of `obj`, called while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, onNext: Screen.show, onError: Screen.complain)
    ///
    /// The subscription does not retain `obj`. After `obj` is released, the subscription continues without effect. If
    /// `onError` is nil, an error goes to `Hooks.defaultErrorHandler`; the original RxSwiftExt ignores the error.
    ///
    /// - Parameters:
    ///   - obj: the object of the methods.
    ///   - onNext: called with each element, on the delivering thread.
    ///   - onError: called with the error that ends the sequence.
    ///   - onCompleted: called when the sequence ends without an error.
    ///   - onDisposed: called once, after the terminal event or the disposal.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        weak obj: Object,
        onNext: (@Sendable (Object) -> (Element) -> Void)? = nil,
        onError: (@Sendable (Object) -> (any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> () -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            onNext.map { weakly(obj, $0) },
            onError.map { weakly(obj, $0) },
            onCompleted.map { weakly(obj, $0) },
            onDisposed.map { weakly(obj, $0) })
    }

    /// Subscribes a method of `obj`, called with each element while `obj` lives. An error goes to
    /// `Hooks.defaultErrorHandler`.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onNext: the method, called on the delivering thread.
    @inlinable
    @preconcurrency
    public func subscribeNext<Object: AnyObject>(
        weak obj: Object, _ onNext: @escaping @Sendable (Object) -> (Element) -> Void
    ) -> any Disposable {
        asObservable().subscribe(weakly(obj, onNext), nil, nil, nil)
    }

    /// Subscribes a method of `obj`, called with the error that ends the sequence, if `obj` is still alive.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onError: the method, called on the delivering thread.
    @inlinable
    @preconcurrency
    public func subscribeError<Object: AnyObject>(
        weak obj: Object, _ onError: @escaping @Sendable (Object) -> (any Error) -> Void
    ) -> any Disposable {
        asObservable().subscribe(nil, weakly(obj, onError), nil, nil)
    }

    /// Subscribes a method of `obj`, called when the sequence ends without an error, if `obj` is still alive. An error
    /// goes to `Hooks.defaultErrorHandler`.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onCompleted: the method, called on the delivering thread.
    @inlinable
    @preconcurrency
    public func subscribeCompleted<Object: AnyObject>(
        weak obj: Object, _ onCompleted: @escaping @Sendable (Object) -> () -> Void
    ) -> any Disposable {
        asObservable().subscribe(nil, nil, weakly(obj, onCompleted), nil)
    }
}

/// Returns a closure that applies a method to its object, if the object is still alive.
@inlinable
func weakly<Object: AnyObject, Input>(_ object: Object, _ method: @escaping (Object) -> (Input) -> Void) -> (Input) ->
    Void
{
    { [weak object] input in
        guard let object else { return }
        method(object)(input)
    }
}

@inlinable
func weakly<Object: AnyObject>(_ object: Object, _ method: @escaping (Object) -> () -> Void) -> () -> Void {
    { [weak object] in
        guard let object else { return }
        method(object)()
    }
}
