/// Delivers to the closures of `subscribe(onNext:onError:onCompleted:onDisposed:)`.
@usableFromInline
final class ClosureSink<Element>: LastSink<Element> {
    @usableFromInline
    let onNext: (Element) -> Void
    @usableFromInline
    let onError: ((any Error) -> Void)?
    @usableFromInline
    let onCompleted: (() -> Void)?

    @inlinable
    init(
        _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?,
        _ disposer: SinkDisposer
    ) {
        let unhandled = Hooks.recordedErrorHandler()
        self.onNext = onNext ?? { _ in }
        self.onError = onError ?? unhandled
        self.onCompleted = onCompleted
        super.init(disposer) { base, element in
            let me = unsafeDowncast(base, to: ClosureSink<Element>.self)
            if me.isLive { me.onNext(element) }
        }
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        if let error {
            if let onError { onError(error) } else { Hooks.unhandled(error, Element.self) }
        } else {
            onCompleted?()
        }
        SinkDisposer.of(chain)._withUnsafeGuaranteedRef { $0.tellDisposed() }
    }
}

/// Delivers to the closure of `subscribe(_:)`.
@usableFromInline
final class EventSink<Element>: LastSink<Element> {
    @usableFromInline
    let handler: (Event<Element>) -> Void

    @inlinable
    init(_ handler: @escaping (Event<Element>) -> Void, _ disposer: SinkDisposer) {
        self.handler = handler
        super.init(
            disposer,
            push: { base, element in
                let me = unsafeDowncast(base, to: EventSink<Element>.self)
                if me.isLive { me.handler(.next(element)) }
            })
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        handler(Event(end: error))
    }
}

/// Delivers to an observer.
@usableFromInline
final class ForwardSink<Observer: ObserverType>: LastSink<Observer.Element> {
    @usableFromInline
    let observer: Observer

    @inlinable
    init(_ observer: Observer, _ disposer: SinkDisposer) {
        self.observer = observer
        super.init(
            disposer,
            push: { base, element in
                let me = unsafeDowncast(base, to: ForwardSink<Observer>.self)
                if me.isLive { me.observer.on(.next(element)) }
            })
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        observer.on(Event(end: error))
    }
}

extension Event {
    /// The terminal event that stands for `error`, or completion when there is none.
    @usableFromInline
    init(end error: (any Error)?) {
        self = if let error { .error(error) } else { .completed }
    }
}
