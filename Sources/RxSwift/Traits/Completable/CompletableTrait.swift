/// The contract of a ``Completable``: no element, then completion or an error.
public enum CompletableTrait {}

/// A sequence without elements.
///
///     a completable: ------|
///     or:            ------#
///
/// ![The end, or an error](marble-completable-trait)
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The closure that receives the event of a ``Completable``.
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// A completable whose event is sent by the closure `subscribe`.
    ///
    ///     let saved = Completable.create { observer in
    ///         observer(.completed)
    ///         return Disposables.create()
    ///     }
    ///
    /// The observer may be called from any thread. The first event, an error or the completion, ends the completable.
    /// Later events are dropped. The returned `Disposable` is disposed of after the event, or when the subscription is
    /// disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply, because there is no element.
    ///
    /// - Parameter subscribe: called on each subscription, on the subscribing thread.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
    ) -> PrimitiveSequence<Trait, Element> {
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .error(let error): observer.onError(error)
                case .completed: observer.onCompleted()
                }
            }
        }
        return PrimitiveSequence(raw: source)
    }

    /// Subscribes a handler of the event.
    ///
    /// - Parameter observer: called with the completion or the error, on the thread that delivers it.
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        source.subscribe(onError: { observer(.error($0)) }, onCompleted: { observer(.completed) })
    }

    /// Subscribes handlers of completion and error.
    ///
    /// If there is no `onError`, an error is passed to ``Hooks/defaultErrorHandler``.
    ///
    /// - Parameters:
    ///   - onCompleted: called at the completion, on the thread that delivers it.
    ///   - onError: called with the error.
    ///   - onDisposed: called once, after the event or the disposal.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers with `object` as their first argument.
    ///
    /// See ``subscribe(onCompleted:onError:onDisposed:)``. The subscription does not retain `object`. After the
    /// deallocation of `object`, no handler is called.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
