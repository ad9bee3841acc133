internal import CRxCore

/// The last stage of a chain. At the first terminal event, it stops the chain, delivers the event and disposes of the
/// chain.
@usableFromInline
class TerminalObserver<Element>: Sink<Element> {
    @usableFromInline
    init(_ lifetime: ChainLifetime, push: @escaping Push) {
        super.init(chain: lifetime.chain, push: push)
        _ = Unmanaged.passRetained(lifetime)
    }

    deinit {
        ChainLifetime.of(chain).release()
    }

    @usableFromInline
    @inline(__always)
    final var lifetime: ChainLifetime { ChainLifetime.of(chain).takeUnretainedValue() }

    @usableFromInline
    final override func end(_ error: (any Error)?) {
        ChainLifetime.of(chain)._withUnsafeGuaranteedRef { lifetime in
            guard lifetime.stop() else { return }
            deliverEnd(error)
            if !crx_lifetime_is_handed_over(chain) { lifetime.dispose() }
        }
    }

    @usableFromInline
    final func notifyDisposed() {
        ChainLifetime.of(chain)._withUnsafeGuaranteedRef { $0.notifyDisposed() }
    }

    @usableFromInline
    func deliverEnd(_ error: (any Error)?) {
        abstractMethod()
    }

    @usableFromInline
    final override func handDisposalOver() -> ChainLifetime? {
        crx_lifetime_hand_over(chain)
        return lifetime
    }
}

@usableFromInline
class ClosureSink<Element>: TerminalObserver<Element> {
    // Optional, because unwrapping the closure would allocate another closure.
    @usableFromInline
    final let onNext: ((Element) -> Void)?

    @usableFromInline
    init(_ onNext: __shared ((Element) -> Void)?, _ lifetime: ChainLifetime, push: @escaping Push) {
        self.onNext = onNext
        super.init(lifetime, push: push)
    }

    @inlinable
    static func make(
        _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?,
        _ lifetime: ChainLifetime
    ) -> ClosureSink<Element> {
        let push: Push = { base, element in
            let me = unsafeDowncast(base, to: ClosureSink<Element>.self)
            if me.isLive { me.onNext?(element) }
        }
        let unhandled = Hooks.recordedErrorHandler()
        if onError == nil && onCompleted == nil && unhandled == nil { return ClosureSink(onNext, lifetime, push: push) }
        // `??` would unwrap the closure, and so allocate another closure.
        return EndingClosureSink(onNext, onError == nil ? unhandled : onError, onCompleted, lifetime, push: push)
    }

    @usableFromInline
    final override func instrumented(_ record: SubscriptionRecord?) -> SinkBase { InstrumentedStage(self, record) }

    @usableFromInline
    final override var isOfProgram: Bool { true }

    @usableFromInline
    final override func deliverEnd(_ error: (any Error)?) {
        if let error { fail(error) } else { complete() }
        notifyDisposed()
    }

    @usableFromInline
    func fail(_ error: any Error) {
        Hooks.unhandled(error, Element.self)
    }

    @usableFromInline
    func complete() {}
}

@usableFromInline
final class EndingClosureSink<Element>: ClosureSink<Element> {
    private let onError: ((any Error) -> Void)?
    private let onCompleted: (() -> Void)?

    @usableFromInline
    init(
        _ onNext: __shared ((Element) -> Void)?, _ onError: __shared ((any Error) -> Void)?,
        _ onCompleted: __shared (() -> Void)?, _ lifetime: ChainLifetime, push: @escaping Push
    ) {
        self.onError = onError
        self.onCompleted = onCompleted
        super.init(onNext, lifetime, push: push)
    }

    @usableFromInline
    override func fail(_ error: any Error) {
        if let onError { onError(error) } else { super.fail(error) }
    }

    @usableFromInline
    override func complete() {
        onCompleted?()
    }
}

@usableFromInline
final class EventSink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let handler: (Event<Element>) -> Void

    @inlinable
    init(_ handler: @escaping (Event<Element>) -> Void, _ lifetime: ChainLifetime) {
        self.handler = handler
        super.init(
            lifetime,
            push: { base, element in
                let me = unsafeDowncast(base, to: EventSink<Element>.self)
                if me.isLive { me.handler(.next(element)) }
            })
    }

    @usableFromInline
    override func instrumented(_ record: SubscriptionRecord?) -> SinkBase { InstrumentedStage(self, record) }

    @usableFromInline
    override var isOfProgram: Bool { true }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        handler(Event(end: error))
    }
}

@usableFromInline
final class ForwardSink<Observer: ObserverType>: TerminalObserver<Observer.Element> {
    @usableFromInline
    let observer: Observer

    @inlinable
    init(_ observer: Observer, _ lifetime: AnyObject, push: @escaping Push) {
        self.observer = observer
        super.init(unsafeDowncast(lifetime, to: ChainLifetime.self), push: push)
    }

    @usableFromInline
    override func instrumented(_ record: SubscriptionRecord?) -> SinkBase { InstrumentedStage(self, record) }

    @usableFromInline
    override var isOfProgram: Bool { true }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        observer._end(error)
    }
}

extension Event {
    @inlinable
    @inline(__always)
    init(end error: (any Error)?) {
        self = if let error { .error(error) } else { .completed }
    }
}
