public import CRxCore

/// The stage directly below a hop that is watched.
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

    /// What the hop counts that delivers to a stage, if it counts.
    static func counts(above down: Sink<Element>) -> HopCounts? {
        type(of: down) == HopStage<Element>.self ? unsafeDowncast(down, to: HopStage<Element>.self).counts : nil
    }

    override func end(_ error: (any Error)?) {
        if let context { context.run { super.end(error) } } else { super.end(error) }
    }
}

/// The source of a hop that is watched: it counts what enters the hop.
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

        /// Nobody is to tell it from the hop.
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
    /// Puts a stage where a hop is about to join that restores what is captured now, if anything is.
    @inlinable
    mutating func restoreContext<Element>(for _: Element.Type) {
        if let context = HopContext.capture() { putHopStage(context, for: Element.self) }
    }

    @usableFromInline
    mutating func putHopStage<Element>(_ context: HopContext, for _: Element.Type) {
        top = HopStage(takeTop(for: Element.self), context, nil)
    }

    /// What a hop to a scheduler joins in place of itself, where it is watched; nil where it is not.
    ///
    /// - Parameter hop: makes the hop anew, of the source that it is given.
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
        // Then this is the hop that was made anew.
        if source is HopEntry<Element> { return nil }
        let context = HopContext.capture()
        let counts = crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) ? HopCounts(scheduler) : nil
        if context == nil && counts == nil { return nil }
        top = HopStage(takeTop(for: Element.self), context, counts)
        return keep(hop(HopEntry(source, counts)))
    }
}

/// A source that is subscribed to in a context: elsewhere, later, or there and then.
package final class ContextSource<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: Observable<Element>
    private let restore: Hooks.ContextRestorer

    /// `source`, whose subscriptions are made by what `restore` is handed.
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

    /// It is the source that starts a trampoline: within the context, so that loops run there.
    override var isTrampolined: Bool { false }

    /// What is captured now, if anything is, for who subscribes to the source later, and does more than that.
    package static func captured() -> Hooks.ContextRestorer? { HopContext.capture()?.run }

    /// `source`, in what is captured now, if anything is. For who subscribes.
    package static func capturing(for source: Observable<Element>) -> Observable<Element> {
        guard let context = HopContext.capture() else { return source }
        return ContextSource(source, context.run)
    }
}
