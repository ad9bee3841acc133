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
    /// Receives the event of a ``Completable``.
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// A completable that the closure `subscribe` ends.
    ///
    ///     let saved = Completable.create { observer in
    ///         observer(.completed)
    ///         return Disposables.create()
    ///     }
    ///
    /// Events after the first are dropped. Otherwise like ``ObservableType/create(_:)-2aing``.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
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

    /// Calls `observer` with the event, on the delivering thread.
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        source.subscribe(onError: { observer(.error($0)) }, onCompleted: { observer(.completed) })
    }

    /// Subscribes with handlers for completion and error. Without `onError`, an error is passed to
    /// ``Hooks/defaultErrorHandler``.
    ///
    /// - Parameters:
    ///   - onCompleted: called on the delivering thread.
    ///   - onError: called with the error.
    ///   - onDisposed: called once, after the event or the disposal.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Like ``subscribe(onCompleted:onError:onDisposed:)``, with `object` as the handlers' first argument. `object` is
    /// not retained; after its deallocation, no handler is called.
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
