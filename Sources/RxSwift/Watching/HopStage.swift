internal import CRxCore

/// The stage directly below a hop that restores a context.
@usableFromInline
final class HopStage<Element>: Stage<Element, Element> {
    private let context: HopContext

    @usableFromInline
    init(_ down: Sink<Element>, _ context: HopContext) {
        self.context = context
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: HopStage<Element>.self)
            me.context.run { me.deliver(element) }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        context.run { super.end(error) }
    }
}

extension Assembly {
    /// Puts a stage where a hop is about to join that restores what is captured now, if anything is.
    @inlinable
    mutating func restoreContext<Element>(for _: Element.Type) {
        if let context = HopContext.capture() { putHopStage(context, for: Element.self) }
    }

    @usableFromInline
    mutating func putHopStage<Element>(_ context: HopContext, for _: Element.Type) {
        top = HopStage(takeTop(for: Element.self), context)
    }
}

/// A source that is subscribed to in a context: on a scheduler, later.
final class ContextSource<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: Observable<Element>
    private let context: HopContext

    private init(_ source: Observable<Element>, _ context: HopContext) {
        self.source = source
        self.context = context
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: ContextSource<Element>.self)
            let (top, disposer) = (assembly.takeTop(), assembly.disposer)
            me.context.run { me.source.subscribe(last: top, disposer) }
            return nil
        }
    }

    /// It is the source that starts a trampoline: within the context, so that loops run there.
    override var isTrampolined: Bool { false }

    /// `source`, in what is captured now, if anything is. For who subscribes.
    static func capturing(for source: Observable<Element>) -> Observable<Element> {
        guard let context = HopContext.capture() else { return source }
        return ContextSource(source, context)
    }
}
