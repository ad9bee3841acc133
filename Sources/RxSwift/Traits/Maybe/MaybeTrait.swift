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
    /// The closure that receives the event of a ``Maybe``.
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// A maybe whose event is sent by the closure `subscribe`.
    ///
    ///     let name = Maybe<String>.create { observer in
    ///         observer(.success("rx"))
    ///         return Disposables.create()
    ///     }
    ///
    /// The observer may be called from any thread. Events after the first are dropped. The returned `Disposable` is
    /// disposed of after the event, or when the subscription is disposed of.
    ///
    /// If the first event is an error or a completion, the maybe ends without an element.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply, because there is at most one element.
    ///
    /// - Parameter subscribe: called on each subscription, on the subscribing thread.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> PrimitiveSequence<Trait, Element> {
        // `take(1)` sends the element and the completion in one step, so no thread can send an event between them.
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

    /// Subscribes a handler of the event.
    ///
    /// - Parameter observer: called with the element, the error or the completion, on the thread that delivers it.
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        source.subscribe(
            onSuccess: { observer(.success($0)) }, onFailure: { observer(.error($0)) },
            onCompleted: { observer(.completed) }, onDisposed: nil)
    }

    /// Subscribes handlers of success, error and completion without an element. One of these three is called, unless
    /// the subscription is disposed of first.
    ///
    /// If there is no `onError`, an error is passed to ``Hooks/defaultErrorHandler``.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element, on the thread that delivers it.
    ///   - onError: called with the error.
    ///   - onCompleted: called if the sequence completes without an element.
    ///   - onDisposed: called once, after the event or the disposal.
    @inlinable
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(onSuccess: onSuccess, onFailure: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers with `object` as their first argument.
    ///
    /// See ``subscribe(onSuccess:onError:onCompleted:onDisposed:)``. The subscription does not retain `object`. After
    /// the deallocation of `object`, no handler is called.
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
