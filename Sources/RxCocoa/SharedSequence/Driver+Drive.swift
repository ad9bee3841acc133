import RxRelay
import RxSwift

// Any thread may call `drive`.

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// Subscribes handlers for the elements and the end.
    ///
    ///     title.drive(onNext: { print($0) }).disposed(by: bag)
    ///
    /// - Parameters:
    ///   - onNext: called with each element on the sharing scheduler; with the replayed element, on the calling thread.
    ///   - onCompleted: called at the end.
    ///   - onDisposed: called once, after the end or the disposal.
    @inlinable
    @preconcurrency
    public func drive(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object` as their first argument while it lives. See
    /// ``drive(onNext:onCompleted:onDisposed:)``.
    ///
    /// The subscription does not retain `object`.
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

    /// Subscribes without handlers, for the side effects of the driver's operators.
    @inlinable
    public func drive() -> any Disposable {
        drive(onNext: nil)
    }

    /// Sends each event to `observers`.
    @inlinable
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribeUnchecked { event in observers.forEach { $0.on(event) } }
    }

    /// Sends each event to `observers` of optionals.
    @inlinable
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribeUnchecked { event in
            let event = event.map(Optional.some)
            observers.forEach { $0.on(event) }
        }
    }

    /// Makes each element the value of `relays`.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Makes each element the value of `relays` of optionals.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element?>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Sends each element to `relays`.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Sends each element to `relays`, which take optionals.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element?>...) -> any Disposable {
        drive(onNext: { element in relays.forEach { $0.accept(element) } })
    }

    /// Calls `transformation` with this sequence, and returns its result.
    @inlinable
    public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
        transformation(asObservable())
    }

    /// Passes this sequence to `with`, and then passes `curriedArgument` to the function that `with` returns.
    ///
    ///     items.drive(table.rows(cell: "name")) { row, item, cell in cell.text = "\(row): \(item)" }
    ///
    /// - Parameters:
    ///   - with: called once, immediately.
    ///   - curriedArgument: the argument of the returned function.
    @inlinable
    public func drive<R1, R2>(_ with: (Observable<Element>) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        with(asObservable())(curriedArgument)
    }
}
