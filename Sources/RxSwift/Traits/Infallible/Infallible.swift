/// A sequence that cannot fail.
public protocol InfallibleType: ObservableConvertibleType {}

/// A sequence that cannot fail: `next* completed?`.
///
/// An infallible wraps an ``Observable``, and its operators behave like the observable's. If a closure throws, the
/// sequence ends without a completion, and the error is reported to ``Hooks/defaultErrorHandler``.
public struct Infallible<Element>: InfallibleType, Sendable {
    @usableFromInline
    let source: Observable<Element>

    /// The caller ensures that the source does not fail.
    @inlinable
    package init(_ source: Observable<Element>) {
        self.source = source
    }

    /// The wrapped observable.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// An event of an ``Infallible``.
public enum InfallibleEvent<Element> {
    /// An element.
    case next(Element)

    /// The sequence has completed; nothing follows.
    case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
    /// This event as an ``Event``.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension InfallibleType {
    /// Subscribes handlers.
    ///
    /// - Parameters:
    ///   - onNext: called with each element, on the delivering thread.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the end or the disposal.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Calls `on` with each event, on the delivering thread.
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

    /// Like ``subscribe(onNext:onCompleted:onDisposed:)``, with `object` as the handlers' first argument. `object` is
    /// not retained; after its deallocation, no handler is called.
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
    /// If this sequence fails, sends `element` and completes. See ``ObservableType/catchAndReturn(_:)``.
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// If this sequence fails, continues with `infallible`. See ``ObservableType/catch(_:)``.
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// If this sequence fails, continues with the sequence that `onErrorRecover` returns. See
    /// ``ObservableType/catch(_:)``.
    @preconcurrency
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Swift.Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
