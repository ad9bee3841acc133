import RxRelay
import RxSwift

// If an infallible sequence fails nevertheless, the bound observer receives the error. If a relay or a closure is
// bound, `Hooks.defaultErrorHandler` receives the error.

extension InfallibleType {
    /// Sends each event to `observers`, in order, on the delivering thread.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribeUnchecked { event in observers.forEach { $0.on(event) } }
    }

    /// Sends each event to `observers` of optionals, in order, on the delivering thread.
    @inlinable
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribeUnchecked { event in
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
    /// - Parameters:
    ///   - binder: called once, immediately.
    ///   - curriedArgument: the argument of the returned function.
    @inlinable
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with each element, on the delivering thread.
    @inlinable
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }

    /// Sends each element to `relays`.
    @inlinable
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`, which take optionals.
    @inlinable
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }

    /// Makes each element the value of `relays`.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }

    /// Makes each element the value of `relays` of optionals.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`.
    @inlinable
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`, which take optionals.
    @inlinable
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in relays.forEach { $0.accept(element) } }
    }
}
