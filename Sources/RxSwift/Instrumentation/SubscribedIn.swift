extension ObservableType {
    /// Subscribes to this sequence in one context, such as a trace, and delivers the events in another.
    ///
    /// ```swift
    /// let outer = Trace.id
    /// orders.subscribed(
    ///     in: { body in Trace.$id.withValue("orders", operation: body) },
    ///     deliveredIn: { body in Trace.$id.withValue(outer, operation: body) })
    /// ```
    ///
    /// Loops of cold sources run in the first context. Each scheduler boundary above restores this context if
    /// ``Hooks/captureContext`` captures it. The chain below receives each event, including the end, in the second
    /// context. `inner` and `outer` are called on the thread that subscribes or delivers, without a lock. If one of
    /// them does not call its argument, the subscription or an event is lost.
    ///
    /// The source pauses with the chain below. Disposal runs in neither context.
    ///
    /// - Parameters:
    ///   - inner: calls its argument in the context for the chain above. The argument subscribes.
    ///   - outer: calls its argument in the context for the chain below. The argument delivers an event. If `outer` is
    ///     nil, the event is delivered in the context in which it arrives.
    public func subscribed(
        in inner: @escaping Hooks.ContextRestorer, deliveredIn outer: Hooks.ContextRestorer? = nil
    ) -> Observable<Element> {
        SubscribedIn(ContextSource(asObservable(), CapturedContext(inner).run), outer.map { CapturedContext($0) })
    }
}

private final class SubscribedIn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: ContextSource<Element>
    private let outer: CapturedContext?

    init(_ source: ContextSource<Element>, _ outer: CapturedContext?) {
        self.source = source
        self.outer = outer
        super.init { base, context in
            let me = unsafeDowncast(base, to: SubscribedIn<Element>.self)
            if let outer = me.outer { context.top = BoundaryStage(context.takeTop(for: Element.self), outer, nil) }
            return me.source
        }
    }

    override var isTrampolined: Bool { source.isTrampolined }
}
