public import CRxCore

/// The stage directly below a scheduler boundary: delivers in the captured context, and counts the elements that leave
/// the boundary.
final class BoundaryStage<Element>: Stage<Element, Element> {
    private let captured: CapturedContext?
    private let counts: SchedulerCounts?

    init(_ down: Sink<Element>, _ captured: CapturedContext?, _ counts: SchedulerCounts?) {
        self.captured = captured
        self.counts = counts
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: BoundaryStage<Element>.self)
            me.counts?.leave()
            if let captured = me.captured {
                captured.run { me.deliver(element) }
            } else {
                me.deliver(element)
            }
        }
    }

    /// The counters of the scheduler boundary above `down`; nil if that boundary has none.
    static func counts(above down: Sink<Element>) -> SchedulerCounts? {
        type(of: down) == BoundaryStage<Element>.self
            ? unsafeDowncast(down, to: BoundaryStage<Element>.self).counts : nil
    }

    override func end(_ error: (any Error)?) {
        if let captured { captured.run { super.end(error) } } else { super.end(error) }
    }
}

/// The source of a scheduler boundary with a ``BoundaryStage``. Counts the elements that enter the boundary.
private final class BoundaryEntry<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private final class EntryStage: Stage<Element, Element> {
        let counts: SchedulerCounts

        init(_ down: Sink<Element>, _ counts: SchedulerCounts) {
            self.counts = counts
            super.init(down: down) { base, element in
                let me = unsafeDowncast(base, to: EntryStage.self)
                me.counts.enter()
                me.deliver(element)
            }
        }

        override func handDisposalOver() -> ChainLifetime? {
            sinkBelow.handDisposalOver()
        }
    }

    private let source: Observable<Element>
    private let counts: SchedulerCounts?

    init(_ source: Observable<Element>, _ counts: SchedulerCounts?) {
        self.source = source
        self.counts = counts
        super.init { base, context in
            let me = unsafeDowncast(base, to: BoundaryEntry<Element>.self)
            if let counts = me.counts, !counts.isCountedByQueue {
                context.top = EntryStage(context.takeTop(for: Element.self), counts)
            }
            return me.source
        }
    }

    override var isTrampolined: Bool { source.isTrampolined }
}

extension SubscribeContext {
    /// Called before a scheduler boundary joins the chain. If a context is captured, adds a stage that restores it for
    /// each event.
    @inlinable
    mutating func restoreContext<Element>(for _: Element.Type) {
        if let captured = CapturedContext.capture() { putBoundaryStage(captured, for: Element.self) }
    }

    @usableFromInline
    mutating func putBoundaryStage<Element>(_ captured: CapturedContext, for _: Element.Type) {
        top = BoundaryStage(takeTop(for: Element.self), captured, nil)
    }

    /// Returns an observable that replaces a scheduler boundary; nil if the boundary needs neither a context nor
    /// counters. `boundary` makes the scheduler boundary for a given source.
    @inlinable
    mutating func instrumentedBoundary<Element>(
        _ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType,
        _ boundary: (Observable<Element>) -> Observable<Element>
    ) -> ObservableBase? {
        crx_watch_any(CRX_WATCH_CONTEXT | CRX_WATCH_STALLS | CRX_WATCH_COUNTERS | CRX_WATCH_LISTING)
            ? putWatch(source, scheduler, boundary) : nil
    }

    @usableFromInline
    mutating func putWatch<Element>(
        _ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType,
        _ boundary: (Observable<Element>) -> Observable<Element>
    ) -> ObservableBase? {
        // If the source is a `BoundaryEntry`, this boundary is itself a replacement.
        if source is BoundaryEntry<Element> { return nil }
        let captured = CapturedContext.capture()
        let counts = crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) ? SchedulerCounts(scheduler) : nil
        if captured == nil && counts == nil { return nil }
        top = BoundaryStage(takeTop(for: Element.self), captured, counts)
        return boundary(BoundaryEntry(source, counts))
    }
}

/// Subscribes to its source in a captured context.
package final class ContextSource<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: Observable<Element>
    private let restore: Hooks.ContextRestorer

    package init(_ source: Observable<Element>, _ restore: @escaping Hooks.ContextRestorer) {
        self.source = source
        self.restore = restore
        super.init { base, context in
            let me = unsafeDowncast(base, to: ContextSource<Element>.self)
            let (top, lifetime, scope) = (context.takeTop(), context.lifetime, context.scope)
            me.restore { me.source.subscribe(last: top, lifetime, scope: scope) }
            return nil
        }
    }

    /// False, so that the subscriber starts no trampoline. `source` starts one inside `restore`, and its loops run in
    /// the context.
    override var isTrampolined: Bool { false }

    /// Captures the calling thread's context and returns its restorer; nil if nothing is captured.
    package static func captured() -> Hooks.ContextRestorer? { CapturedContext.capture()?.run }

    /// If a context is captured, returns a sequence that subscribes to `source` in the calling thread's context.
    /// Otherwise returns `source`. Called by the subscribing thread.
    package static func capturing(for source: Observable<Element>) -> Observable<Element> {
        guard let captured = CapturedContext.capture() else { return source }
        return ContextSource(source, captured.run)
    }
}
