import RxSwift

extension ObservableType {
    /// Sends each event to `observers`, in order.
    ///
    ///     temperature.bind(to: panel.rx.temperature, history)
    ///
    /// What an error does is the observers' affair; a `Binder` stops a debug build.
    ///
    /// - Parameter observers: what gets the events, on the thread that delivers them.
    /// - Returns: what ends the binding.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribeUnchecked({ event in observers.forEach { $0.on(event) } })
    }

    /// Sends each event to `observers` of optionals, in order.
    ///
    /// - Parameter observers: what gets the events, on the thread that delivers them.
    /// - Returns: what ends the binding.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        subscribeUnchecked({ event in
            let event = event.map(Optional.some)
            observers.forEach { $0.on(event) }
        })
    }

    /// Gives this sequence to `binder`, and returns what that makes of it.
    ///
    /// - Parameter binder: called once, now.
    @inlinable
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Gives this sequence to `binder`, and `curriedArgument` to what that returns.
    ///
    ///     names.bind(to: list.rx.items(prefix: "- "), curriedArgument: { name, row in row.text = name })
    ///
    /// - Parameters:
    ///   - binder: called once, now.
    ///   - curriedArgument: the second argument.
    @inlinable
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each element while the object lives.
    ///
    /// The binding does not retain the object. An error stops a debug build, and is printed in a release build: nobody
    /// is there to take it.
    ///
    /// - Parameters:
    ///   - object: what the elements are for.
    ///   - onNext: called on the thread that delivers the element.
    /// - Returns: what ends the binding.
    @inlinable
    @preconcurrency
    public func bind<Object: AnyObject>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribeUnchecked({ [weak object] event in
            switch event {
            case .next(let element): if let object { onNext(object, element) }
            case .error(let error): rxFatalErrorInDebug("Binding error: \(error)")
            case .completed: break
            }
        })
    }

    /// Calls `onNext` with each element.
    ///
    /// An error stops a debug build, and is printed in a release build: nobody is there to take it.
    ///
    /// - Parameter onNext: called on the thread that delivers the element.
    /// - Returns: what ends the binding.
    @inlinable
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: { error in rxFatalErrorInDebug("Binding error: \(error)") })
    }
}
