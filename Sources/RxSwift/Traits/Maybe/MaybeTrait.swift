/// The contract of a ``Maybe``: at most one element, or an error.
public enum MaybeTrait {}

/// A sequence of at most one element.
///
///     a maybe: ------(1|)
///     or:      ------|
///     or:      ------#
///
/// ![One element, or none, or an error](marble-maybe-trait)
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Receives the event of a ``Maybe``.
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// A maybe with the event that the closure `subscribe` sends.
    ///
    ///     let name = Maybe<String>.create { observer in
    ///         observer(.success("rx"))
    ///         return Disposables.create()
    ///     }
    ///
    /// Events after the first are dropped. Otherwise like ``ObservableType/create(_:)-2aing``.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> PrimitiveSequence<Trait, Element> {
        // `take(1)` sends the element and the completion in one step, so no thread can send an event in between.
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .success(let element): observer.onNext(element)
                case .error(let error): observer.onError(error)
                case .completed: observer.onCompleted()
                }
            }
        }
        return PrimitiveSequence(raw: source.take(1))
    }

    /// Calls `observer` with the event, on the delivering thread.
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        source.subscribe(
            onSuccess: { observer(.success($0)) }, onFailure: { observer(.error($0)) },
            onCompleted: { observer(.completed) }, onDisposed: nil)
    }

    /// Subscribes handlers. Without `onError`, an error is passed to ``Hooks/defaultErrorHandler``.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element, on the delivering thread.
    ///   - onError: called with the error.
    ///   - onCompleted: called if there is no element.
    ///   - onDisposed: called once, after the event or the disposal.
    @inlinable
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(onSuccess: onSuccess, onFailure: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Like ``subscribe(onSuccess:onError:onCompleted:onDisposed:)``, with `object` as the handlers' first argument.
    /// `object` is not retained; after its deallocation, no handler is called.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(
            onSuccess: whileAlive(object, onSuccess), onFailure: whileAlive(object, onError),
            onCompleted: whileAlive(object, onCompleted), onDisposed: whileAlive(object, onDisposed))
    }
}
