import RxSwift

extension ObservableType {
    /// Subscribes, and calls a method of `obj` with each event while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, Screen.handle)
    ///
    /// `obj` is not retained. After its release, the subscription continues without effect.
    ///
    /// - Parameters:
    ///   - obj: the object of the method.
    ///   - on: called on the delivering thread.
    @inlinable
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        weak obj: Object, _ on: @escaping @Sendable (Object) -> (Event<Element>) -> Void
    ) -> any Disposable {
        subscribeUnchecked(weakly(obj, on))
    }

    /// Subscribes, and calls methods of `obj` while `obj` lives.
    ///
    ///     prices.subscribe(weak: self, onNext: Screen.show, onError: Screen.complain)
    ///
    /// `obj` is not retained. After its release, the subscription continues without effect. Without `onError`, an error
    /// goes to `Hooks.defaultErrorHandler`; RxSwiftExt ignores it.
    ///
    /// - Parameters:
    ///   - obj: the object whose methods are called.
    ///   - onNext: called with each element, on the delivering thread.
    ///   - onError: called with the error.
    ///   - onCompleted: called at the completion.
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

    /// Subscribes, and calls a method of `obj` with each element while `obj` lives.
    ///
    /// See ``subscribe(weak:onNext:onError:onCompleted:onDisposed:)``.
    @inlinable
    @preconcurrency
    public func subscribeNext<Object: AnyObject>(
        weak obj: Object, _ onNext: @escaping @Sendable (Object) -> (Element) -> Void
    ) -> any Disposable {
        asObservable().subscribe(weakly(obj, onNext), nil, nil, nil)
    }

    /// Subscribes, and calls a method of `obj` with the error if `obj` still lives.
    ///
    /// See ``subscribe(weak:onNext:onError:onCompleted:onDisposed:)``.
    @inlinable
    @preconcurrency
    public func subscribeError<Object: AnyObject>(
        weak obj: Object, _ onError: @escaping @Sendable (Object) -> (any Error) -> Void
    ) -> any Disposable {
        asObservable().subscribe(nil, weakly(obj, onError), nil, nil)
    }

    /// Subscribes, and calls a method of `obj` at the completion if `obj` still lives.
    ///
    /// See ``subscribe(weak:onNext:onError:onCompleted:onDisposed:)``.
    @inlinable
    @preconcurrency
    public func subscribeCompleted<Object: AnyObject>(
        weak obj: Object, _ onCompleted: @escaping @Sendable (Object) -> () -> Void
    ) -> any Disposable {
        asObservable().subscribe(nil, nil, weakly(obj, onCompleted), nil)
    }
}

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
