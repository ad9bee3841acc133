extension ObservableType {
    /// Subscribes to this sequence in one context, such as a trace or a transaction that lasts to the end of the
    /// subscription. Delivers the events in another context.
    ///
    /// ```swift
    /// let outer = Trace.id
    /// orders.subscribed(
    ///     in: { body in Trace.$id.withValue("orders", operation: body) },
    ///     deliveredIn: { body in Trace.$id.withValue(outer, operation: body) })
    /// ```
    ///
    /// The chain above is subscribed to in the first context, and loops of cold sources run in it. If a
    /// ``Hooks/captureContext`` captures that context, each scheduler boundary above restores it. The chain below
    /// receives each event, including the end, in the second context. Both restorers are called on the thread that
    /// subscribes or delivers, without a lock. If a restorer does not call its argument, the subscription or an event
    /// is lost.
    ///
    /// The operator adds a stage, and is not a boundary: the source pauses with the chain below. Disposal runs in
    /// neither context.
    ///
    /// - Parameters:
    ///   - inner: runs its argument, which subscribes to this sequence, in the context for the chain above.
    ///   - outer: runs its argument, which delivers an event, in the context for the chain below. If nil, an event is
    ///     delivered in the context in which it arrives.
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
