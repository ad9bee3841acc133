extension ObservableType {
    /// Subscribes to this sequence in one context, and hands its events on in another: what a trace or a transaction
    /// needs that lasts from a subscription to its end.
    ///
    /// ```swift
    /// let outer = Trace.id
    /// orders.subscribed(
    ///     in: { body in Trace.$id.withValue("orders", operation: body) },
    ///     deliveredIn: { body in Trace.$id.withValue(outer, operation: body) })
    /// ```
    ///
    /// What is above is subscribed to in the first context, loops of cold sources run in it, and where a
    /// ``Hooks/captureContext`` finds it there, each hop above restores it. What is below gets each event, the end too,
    /// in the second one. Both restorers are called on the thread that subscribes or delivers, with no lock held;
    /// one that does not call its argument loses the subscription, or an event.
    ///
    /// It adds a stage to an event, and is no boundary: a pause passes it. Disposal comes in neither context.
    ///
    /// - Parameters:
    ///   - inner: runs its argument, which subscribes to this sequence, in the context of what is above.
    ///   - outer: runs its argument, which delivers an event, in the context of what is below; nil leaves an event in
    ///     the context in which it comes.
    public func subscribed(
        in inner: @escaping Hooks.ContextRestorer, deliveredIn outer: Hooks.ContextRestorer? = nil
    ) -> Observable<Element> {
        SubscribedIn(ContextSource(asObservable(), HopContext(inner).run), outer.map { HopContext($0) })
    }
}

private final class SubscribedIn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: ContextSource<Element>
    private let outer: HopContext?

    init(_ source: ContextSource<Element>, _ outer: HopContext?) {
        self.source = source
        self.outer = outer
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SubscribedIn<Element>.self)
            if let outer = me.outer { assembly.top = HopStage(assembly.takeTop(for: Element.self), outer, nil) }
            return .passUnretained(me.source)
        }
    }

    override var isTrampolined: Bool { source.isTrampolined }
}
