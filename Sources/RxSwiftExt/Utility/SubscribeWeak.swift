import RxSwift

// The handlers are methods, not applied to their object yet: `source.subscribe(weak: self, Screen.show)`.

extension ObservableType {
    /// Subscribes a method of `obj`, called with each event while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, Screen.handle)
    ///
    /// The subscription does not retain `obj`; it goes on, to no effect, when `obj` is gone.
    ///
    /// - Parameters:
    ///   - obj: whose method is called.
    ///   - on: the method, called on the thread that delivers the event.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        weak obj: Object, _ on: @escaping @Sendable (Object) -> (Event<Element>) -> Void
    ) -> any Disposable {
        subscribe(weakly(obj, on))
    }

    /// Subscribes methods of `obj`, called while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, onNext: Screen.show, onError: Screen.complain)
    ///
    /// The subscription does not retain `obj`; it goes on, to no effect, when `obj` is gone. An error without `onError`
    /// goes to `Hooks.defaultErrorHandler`; in RxSwiftExt nobody hears of it.
    ///
    /// - Parameters:
    ///   - obj: whose methods are called.
    ///   - onNext: called with each element, on the thread that delivers it.
    ///   - onError: called with the error that ends the sequence.
    ///   - onCompleted: called when the sequence ends without an error.
    ///   - onDisposed: called once, after the terminal event or the disposal.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        weak obj: Object,
        onNext: (@Sendable (Object) -> (Element) -> Void)? = nil,
        onError: (@Sendable (Object) -> (any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> () -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> () -> Void)? = nil
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
    ///   - obj: whose method is called.
    ///   - onNext: the method, called on the thread that delivers the element.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribeNext<Object: AnyObject>(
        weak obj: Object, _ onNext: @escaping @Sendable (Object) -> (Element) -> Void
    ) -> any Disposable {
        subscribe(onNext: weakly(obj, onNext))
    }

    /// Subscribes a method of `obj`, called with the error that ends the sequence, if `obj` lives then.
    ///
    /// - Parameters:
    ///   - obj: whose method is called.
    ///   - onError: the method, called on the thread that delivers the error.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribeError<Object: AnyObject>(
        weak obj: Object, _ onError: @escaping @Sendable (Object) -> (any Error) -> Void
    ) -> any Disposable {
        subscribe(onError: weakly(obj, onError))
    }

    /// Subscribes a method of `obj`, called when the sequence ends without an error, if `obj` lives then. An error goes
    /// to `Hooks.defaultErrorHandler`.
    ///
    /// - Parameters:
    ///   - obj: whose method is called.
    ///   - onCompleted: the method, called on the thread that delivers the completion.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribeCompleted<Object: AnyObject>(
        weak obj: Object, _ onCompleted: @escaping @Sendable (Object) -> () -> Void
    ) -> any Disposable {
        subscribe(onCompleted: weakly(obj, onCompleted))
    }
}

/// Applies a method to its object when it is called, if the object still lives.
@inlinable
func weakly<Object: AnyObject, Input>(_ object: Object, _ method: @escaping (Object) -> (Input) -> Void)
    -> @Sendable (Input) ->
    Void
{
    unchecked { [weak object] input in
        guard let object else { return }
        method(object)(input)
    }
}

/// Applies a method to its object when it is called, if the object still lives.
@inlinable
func weakly<Object: AnyObject>(_ object: Object, _ method: @escaping (Object) -> () -> Void) -> @Sendable () -> Void {
    unchecked { [weak object] in
        guard let object else { return }
        method(object)()
    }
}
