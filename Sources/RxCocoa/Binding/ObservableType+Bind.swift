import RxSwift

extension ObservableType {
    /// Sends each event to `observers`, in order, on the delivering thread.
    ///
    ///     temperature.bind(to: panel.rx.temperature, history)
    ///
    /// The observers decide how to handle an error; a `Binder` stops a debug build.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribeUnchecked { event in observers.forEach { $0.on(event) } }
    }

    /// Sends each event to `observers` of optionals, in order, on the delivering thread.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        subscribeUnchecked { event in
            let event = event.map(Optional.some)
            observers.forEach { $0.on(event) }
        }
    }

    /// Calls `binder` once, immediately, with this sequence, and returns its result.
    @inlinable
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Calls `binder` with this sequence, then calls the returned function with `curriedArgument`.
    ///
    ///     names.bind(to: list.rx.items(prefix: "- "), curriedArgument: { name, row in row.text = name })
    ///
    /// - Parameters:
    ///   - binder: called once, immediately.
    ///   - curriedArgument: the argument of the returned function.
    @inlinable
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each element while the object lives.
    ///
    /// The binding does not retain the object. An error stops the program in debug builds; release builds print it.
    ///
    /// - Parameters:
    ///   - object: the first argument of `onNext`.
    ///   - onNext: called on the delivering thread.
    @inlinable
    @preconcurrency
    public func bind<Object: AnyObject>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        asObservable().subscribe(
            whileAlive(object, onNext), { error in rxFatalErrorInDebug("Binding error: \(error)") }, nil, nil)
    }

    /// Calls `onNext` with each element, on the delivering thread.
    ///
    /// An error stops a debug build; a release build prints it.
    @inlinable
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: { error in rxFatalErrorInDebug("Binding error: \(error)") })
    }
}
