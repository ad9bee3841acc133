/// The contract of a ``Single``: one element, or an error.
public enum SingleTrait {}

/// A sequence of exactly one element, or an error.
///
///     a single: ------(1|)
///     or:       ------#
///
/// ![One element, or an error](marble-single-trait)
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Receives the event of a ``Single``.
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// A single with the event that the closure `subscribe` sends.
    ///
    ///     let name = Single<String>.create { observer in
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
        subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
    ) -> Single<Element> {
        // `take(1)` sends the element and the completion in one step, so no thread can send an event in between.
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .success(let element): observer.onNext(element)
                case .failure(let error): observer.onError(error)
                }
            }
        }
        return PrimitiveSequence(raw: source.take(1))
    }

    /// Calls `observer` with the event, on the delivering thread.
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        source.subscribe(
            onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) },
            onCompleted: complainOfCompletion, onDisposed: nil)
    }

    /// Subscribes handlers. Without `onFailure`, an error is passed to ``Hooks/defaultErrorHandler``.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element, on the delivering thread.
    ///   - onFailure: called with the error.
    ///   - onDisposed: called once, after the event or the disposal.
    @inlinable
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onFailure: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(
            onSuccess: onSuccess, onFailure: onFailure, onCompleted: complainOfCompletion, onDisposed: onDisposed)
    }

    /// Like ``subscribe(onSuccess:onFailure:onDisposed:)``, with the name `onError` for `onFailure`.
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Swift.Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }

    /// Like ``subscribe(onSuccess:onFailure:onDisposed:)``, with `object` as the handlers' first argument. `object` is
    /// not retained; after its deallocation, no handler is called.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(
            onSuccess: whileAlive(object, onSuccess), onFailure: whileAlive(object, onFailure),
            onCompleted: complainOfCompletion, onDisposed: whileAlive(object, onDisposed))
    }
}

@usableFromInline
func complainOfCompletion() {
    rxFatalErrorInDebug("Singles can't emit a completion event")
}
