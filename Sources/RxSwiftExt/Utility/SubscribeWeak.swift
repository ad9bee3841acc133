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
    ///   - on: the method, called on the thread that delivers the event.
    /// - Returns: a disposable that ends the subscription.
    @inlinable
    public func subscribe<Object: AnyObject>(
        weak obj: Object, _ on: @escaping (Object) -> (Event<Element>) -> Void
    ) -> any Disposable {
        subscribe(weakly(obj, on))
    }

    /// Subscribes methods of `obj`, called while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, onNext: Screen.show, onError: Screen.complain)
    ///
    /// The subscription does not retain `obj`. After `obj` is released, the subscription continues without effect. An
    /// error without `onError` goes to `Hooks.defaultErrorHandler`; in RxSwiftExt it is ignored.
    ///
    /// - Parameters:
    ///   - obj: the object of the methods.
    ///   - onNext: called with each element, on the thread that delivers it.
    ///   - onError: called with the error that ends the sequence.
    ///   - onCompleted: called when the sequence ends without an error.
    ///   - onDisposed: called once, after the terminal event or the disposal.
    /// - Returns: a disposable that ends the subscription.
    @inlinable
    public func subscribe<Object: AnyObject>(
        weak obj: Object,
        onNext: ((Object) -> (Element) -> Void)? = nil,
        onError: ((Object) -> (any Error) -> Void)? = nil,
        onCompleted: ((Object) -> () -> Void)? = nil,
        onDisposed: ((Object) -> () -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onNext: onNext.map { weakly(obj, $0) },
            onError: onError.map { weakly(obj, $0) },
            onCompleted: onCompleted.map { weakly(obj, $0) },
            onDisposed: onDisposed.map { weakly(obj, $0) })
    }

    /// Subscribes a method of `obj`, called with each element while `obj` lives. An error goes to
    /// `Hooks.defaultErrorHandler`.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onNext: the method, called on the thread that delivers the element.
    /// - Returns: a disposable that ends the subscription.
    @inlinable
    public func subscribeNext<Object: AnyObject>(
        weak obj: Object, _ onNext: @escaping (Object) -> (Element) -> Void
    ) -> any Disposable {
        subscribe(onNext: weakly(obj, onNext))
    }

    /// Subscribes a method of `obj`, called with the error that ends the sequence, if `obj` is still alive.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onError: the method, called on the thread that delivers the error.
    /// - Returns: a disposable that ends the subscription.
    @inlinable
    public func subscribeError<Object: AnyObject>(
        weak obj: Object, _ onError: @escaping (Object) -> (any Error) -> Void
    ) -> any Disposable {
        subscribe(onError: weakly(obj, onError))
    }

    /// Subscribes a method of `obj`, called when the sequence ends without an error, if `obj` is still alive. An error
    /// goes to `Hooks.defaultErrorHandler`.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - onCompleted: the method, called on the thread that delivers the completion.
    /// - Returns: a disposable that ends the subscription.
    @inlinable
    public func subscribeCompleted<Object: AnyObject>(
        weak obj: Object, _ onCompleted: @escaping (Object) -> () -> Void
    ) -> any Disposable {
        subscribe(onCompleted: weakly(obj, onCompleted))
    }
}

/// Applies a method to its object when it is called, if the object is still alive.
@inlinable
func weakly<Object: AnyObject, Input>(_ object: Object, _ method: @escaping (Object) -> (Input) -> Void) -> (Input) ->
    Void
{
    { [weak object] input in
        guard let object else { return }
        method(object)(input)
    }
}

/// Applies a method to its object when it is called, if the object is still alive.
@inlinable
func weakly<Object: AnyObject>(_ object: Object, _ method: @escaping (Object) -> () -> Void) -> () -> Void {
    { [weak object] in
        guard let object else { return }
        method(object)()
    }
}
