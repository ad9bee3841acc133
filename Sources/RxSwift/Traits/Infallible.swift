/// A sequence that cannot fail.
public protocol InfallibleType: ObservableConvertibleType {}

/// A sequence that cannot fail: `next* completed?`.
///
/// It is an ``Observable`` inside: each operator is the observable's, and keeps its threads and disposal. A closure
/// that throws in spite of the promise ends the sequence with an error, which the ``Hooks/defaultErrorHandler`` takes.
public struct Infallible<Element>: InfallibleType, Sendable {
    @usableFromInline
    let source: Observable<Element>

    /// Trusts that `source` does not fail.
    @inlinable
    package init(_ source: Observable<Element>) {
        self.source = source
    }

    /// The sequence as a plain observable.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// What an ``Infallible`` tells its observer.
public enum InfallibleEvent<Element> {
    /// An element.
    case next(Element)

    /// The sequence ended; nothing follows.
    case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
    /// The event as one of an observable.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension InfallibleType {
    /// Subscribes handlers of elements and of the end.
    ///
    /// - Parameters:
    ///   - onNext: called with each element, on the thread that delivers it.
    ///   - onCompleted: called at the end.
    ///   - onDisposed: called once, after the end or the disposal.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes a handler of events.
    ///
    /// - Parameter on: called with each event, on the thread that delivers it.
    /// - Returns: what ends the subscription.
    @inlinable
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void) -> any Disposable {
        asObservable().subscribe { event in
            switch event {
            case .next(let element): on(.next(element))
            case .completed: on(.completed)
            case .error(let error): Hooks.unhandled(error, Element.self)
            }
        }
    }

    /// Subscribes handlers that get `object` as their first argument while it lives.
    ///
    /// The subscription does not retain `object`; once it is gone its handlers are not called any more.
    ///
    /// - Parameters:
    ///   - object: what the handlers work on.
    ///   - onNext: called with each element, on the thread that delivers it.
    ///   - onCompleted: called at the end.
    ///   - onDisposed: called once, after the end or the disposal.
    /// - Returns: what ends the subscription.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}

extension ObservableConvertibleType {
    /// This sequence, with `element` and completion in the place of an error.
    ///
    /// As ``ObservableType/catchAndReturn(_:)``, but that it cannot fail.
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// This sequence, with `infallible` in the place of an error.
    ///
    /// As ``ObservableType/catch(_:)``, but that it cannot fail.
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// This sequence, with what `onErrorRecover` makes of it in the place of an error.
    ///
    /// As ``ObservableType/catch(_:)``, but that it cannot fail.
    ///
    /// - Parameter onErrorRecover: called with the error, on the thread that delivers it.
    @preconcurrency
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Swift.Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
