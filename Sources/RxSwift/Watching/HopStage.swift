public import CRxCore

/// The stage directly below a hop that has a context or counters.
final class HopStage<Element>: Stage<Element, Element> {
    private let context: HopContext?
    private let counts: HopCounts?

    init(_ down: Sink<Element>, _ context: HopContext?, _ counts: HopCounts?) {
        self.context = context
        self.counts = counts
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: HopStage<Element>.self)
            me.counts?.leave()
            if let context = me.context {
                context.run { me.deliver(element) }
            } else {
                me.deliver(element)
            }
        }
    }

    /// The counters of the hop that delivers to this stage; nil if it has none.
    static func counts(above down: Sink<Element>) -> HopCounts? {
        type(of: down) == HopStage<Element>.self ? unsafeDowncast(down, to: HopStage<Element>.self).counts : nil
    }

    override func end(_ error: (any Error)?) {
        if let context { context.run { super.end(error) } } else { super.end(error) }
    }
}

/// The source of a hop that has a context or counters. It counts the elements that enter the hop.
private final class HopEntry<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private final class EntryStage: Stage<Element, Element> {
        let counts: HopCounts

        init(_ down: Sink<Element>, _ counts: HopCounts) {
            self.counts = counts
            super.init(down: down) { base, element in
                let me = unsafeDowncast(base, to: EntryStage.self)
                me.counts.enter()
                me.deliver(element)
            }
        }

        /// Forwards the request, so that this stage is transparent.
        override func handDisposalOver() -> SinkDisposer? {
            down._withUnsafeGuaranteedRef { $0.handDisposalOver() }
        }
    }

    private let source: Observable<Element>
    private let counts: HopCounts?

    init(_ source: Observable<Element>, _ counts: HopCounts?) {
        self.source = source
        self.counts = counts
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: HopEntry<Element>.self)
            if let counts = me.counts, !counts.isToldByHop {
                assembly.top = EntryStage(assembly.takeTop(for: Element.self), counts)
            }
            return .passUnretained(me.source)
        }
    }

    override var isTrampolined: Bool { source.isTrampolined }
}

extension Assembly {
    /// Adds a stage below a hop that is about to join. It restores the context of the calling thread, if one is
    /// captured.
    @inlinable
    mutating func restoreContext<Element>(for _: Element.Type) {
        if let context = HopContext.capture() { putHopStage(context, for: Element.self) }
    }

    @usableFromInline
    mutating func putHopStage<Element>(_ context: HopContext, for _: Element.Type) {
        top = HopStage(takeTop(for: Element.self), context, nil)
    }

    /// The observable to join in place of a hop that needs a context or counters; nil if it needs none.
    ///
    /// - Parameter hop: makes the same hop for another source.
    @inlinable
    mutating func watchedHop<Element>(
        _ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType,
        _ hop: (Observable<Element>) -> Observable<Element>
    ) -> Unmanaged<ObservableBase>? {
        crx_watch_any(CRX_WATCH_CONTEXT | CRX_WATCH_STALLS | CRX_WATCH_COUNTERS | CRX_WATCH_LISTING)
            ? putWatch(source, scheduler, hop) : nil
    }

    @usableFromInline
    mutating func putWatch<Element>(
        _ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType,
        _ hop: (Observable<Element>) -> Observable<Element>
    ) -> Unmanaged<ObservableBase>? {
        // Only the replacement that this function makes has such a source.
        if source is HopEntry<Element> { return nil }
        let context = HopContext.capture()
        let counts = crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) ? HopCounts(scheduler) : nil
        if context == nil && counts == nil { return nil }
        top = HopStage(takeTop(for: Element.self), context, counts)
        return keep(hop(HopEntry(source, counts)))
    }
}

/// A source that is subscribed to in a context, now or later, on any thread.
package final class ContextSource<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: Observable<Element>
    private let restore: Hooks.ContextRestorer

    /// A sequence that subscribes to `source` inside `restore`.
    package init(_ source: Observable<Element>, _ restore: @escaping Hooks.ContextRestorer) {
        self.source = source
        self.restore = restore
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ContextSource<Element>.self)
            let (top, disposer, scope) = (assembly.takeTop(), assembly.disposer, assembly.scope)
            me.restore { me.source.subscribe(last: top, disposer, scope: scope) }
            return nil
        }
    }

    /// The source itself starts a trampoline inside the context, so that its loops run there.
    override var isTrampolined: Bool { false }

    /// The restorer for the context of the calling thread, or nil. For an operator that subscribes to its source later
    /// and does other work in the same context.
    package static func captured() -> Hooks.ContextRestorer? { HopContext.capture()?.run }

    /// Returns `source` with the context of the calling thread, or `source` itself if no context is captured. Called by
    /// the subscribing thread.
    package static func capturing(for source: Observable<Element>) -> Observable<Element> {
        guard let context = HopContext.capture() else { return source }
        return ContextSource(source, context.run)
    }
}
