/// Delivers the first event of a ``Single`` or a ``Maybe``. After an element, the completion only disposes of the
/// chain.
@usableFromInline
final class TraitSink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let onSuccess: ((Element) -> Void)?
    @usableFromInline
    let onFailure: ((any Error) -> Void)?
    @usableFromInline
    let onCompleted: (() -> Void)?
    /// Used only by the delivering thread.
    @usableFromInline
    var hasSucceeded = false

    /// - Parameter onFailure: if nil, errors go to ``Hooks/defaultErrorHandler``.
    @inlinable
    init(
        _ onSuccess: ((Element) -> Void)?, _ onFailure: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?,
        _ lifetime: ChainLifetime
    ) {
        self.onSuccess = onSuccess
        // `??` would unwrap the handler and wrap it again.
        self.onFailure = onFailure == nil ? Hooks.recordedErrorHandler() : onFailure
        self.onCompleted = onCompleted
        super.init(lifetime) { base, element in
            unsafeDowncast(base, to: TraitSink<Element>.self).succeed(element)
        }
    }

    @inlinable
    func succeed(_ element: Element) {
        guard isLive, !hasSucceeded else { return }
        hasSucceeded = true
        onSuccess?(element)
        notifyDisposed()
    }

    @usableFromInline
    override func instrumented(_ record: SubscriptionRecord?) -> SinkBase { InstrumentedStage(self, record) }

    @usableFromInline
    override var isOfProgram: Bool { true }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        guard !hasSucceeded else { return }
        if let error {
            if let onFailure { onFailure(error) } else { Hooks.unhandled(error, Element.self) }
        } else {
            onCompleted?()
        }
        notifyDisposed()
    }
}

extension Observable {
    @inlinable
    final func subscribe(
        onSuccess: ((Element) -> Void)?, onFailure: ((any Error) -> Void)?, onCompleted: (() -> Void)?,
        onDisposed: (() -> Void)?
    ) -> any Disposable {
        let lifetime = ChainLifetime.make(onDisposed)
        subscribe(last: TraitSink(onSuccess, onFailure, onCompleted, lifetime), lifetime)
        return lifetime
    }
}
