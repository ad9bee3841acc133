import RxRelay
import RxSwift

// Handlers are called on the sharing scheduler; with the element that is replayed, on the thread that drives. On an
// Apple platform RxSwift stops a program that drives off the main thread; here, as in RxSwift on Linux, any thread may
// drive.

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// Subscribes handlers of elements and of the end.
    ///
    ///     title.drive(onNext: { print($0) }).disposed(by: bag)
    ///
    /// - Parameters:
    ///   - onNext: called with each element on the sharing scheduler; with the element that is replayed, on the calling
    ///     thread.
    ///   - onCompleted: called at the end.
    ///   - onDisposed: called once, after the end or the disposal.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func drive(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers that get `object` as their first argument while it lives. See
    /// ``drive(onNext:onCompleted:onDisposed:)``.
    ///
    /// The subscription does not retain `object`; once it is gone its handlers are not called any more.
    ///
    /// - Parameters:
    ///   - object: what the handlers work on.
    ///   - onNext: called with each element on the sharing scheduler; with the element that is replayed, on the calling
    ///     thread.
    ///   - onCompleted: called at the end.
    ///   - onDisposed: called once, after the end or the disposal.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func drive<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes without handlers, for what the driver does on the way.
    ///
    /// - Returns: what ends the subscription.
    @inlinable
    public func drive() -> any Disposable {
        drive(onNext: nil)
    }

    /// Sends each event to `observers`.
    ///
    /// - Returns: what ends the subscription.
    @inlinable
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribeUnchecked({ event in observers.forEach { $0.on(event) } })
    }

    /// Sends each event to `observers` of optionals.
    ///
    /// - Returns: what ends the subscription.
    @inlinable
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribeUnchecked({ event in
            let event = event.map(Optional.some)
            observers.forEach { $0.on(event) }
        })
    }

    /// Makes each element the value of `relays`; completion ends the binding alone.
    ///
    /// - Returns: what ends the binding.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Makes each element the value of `relays` of optionals; completion ends the binding alone.
    ///
    /// - Returns: what ends the binding.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element?>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Sends each element to `relays`; completion ends the binding alone.
    ///
    /// - Returns: what ends the binding.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Sends each element to `relays` of optionals; completion ends the binding alone.
    ///
    /// - Returns: what ends the binding.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element?>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Hands the sequence to a function of one's own that subscribes.
    ///
    /// - Parameter transformation: called at once, with this sequence.
    /// - Returns: what the function returns.
    @inlinable
    public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
        transformation(asObservable())
    }

    /// Hands the sequence, and then `curriedArgument`, to a function of one's own that subscribes.
    ///
    ///     items.drive(table.rows(cell: "name")) { row, item, cell in cell.text = "\(row): \(item)" }
    ///
    /// - Parameters:
    ///   - with: called at once, with this sequence.
    ///   - curriedArgument: what the function that it returns is called with.
    /// - Returns: what the function returns.
    @inlinable
    public func drive<R1, R2>(_ with: (Observable<Element>) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        with(asObservable())(curriedArgument)
    }
}
