public import CRxCore

extension Hooks {
    /// Runs its argument, once and before it returns, in a context that was captured.
    public typealias ContextRestorer = (_ body: () -> Void) -> Void

    /// Captures the context in which a subscription is made, for each hop of it to restore; nil, by default, captures
    /// nothing.
    ///
    /// ```swift
    /// enum Trace { @TaskLocal static var id: String? }
    ///
    /// Hooks.captureContext = {
    ///     guard let id = Trace.id else { return nil }
    ///     return { body in Trace.$id.withValue(id, operation: body) }
    /// }
    /// ```
    ///
    /// It is called by who subscribes, once for each hop of the subscription (`observe(on:)`, `subscribe(on:)`, `delay`,
    /// timers and operators with a timer, cold sources on a scheduler), and never for an event. What it returns is kept
    /// with that hop, and called around what the hop does on its scheduler: deliveries, the end too, ticks, the
    /// subscription of the source. Nil leaves the hop as it is.
    ///
    /// Where no hook is set, or it returns nil, an event costs nothing more. Where it captures, an event costs one more
    /// stage at each hop, and what the restorer takes.
    ///
    /// Any thread may set it; it applies to what is subscribed from then on. No lock is held while it or a restorer
    /// runs. A restorer that does not call its argument loses an event.
    public static var captureContext: (() -> ContextRestorer?)? {
        get { HopContext.hook.withLock { $0 } }
        set {
            var replaced = newValue
            HopContext.hook.withLock { swap(&$0, &replaced) }
            crx_watch_set(CRX_WATCH_CONTEXT, newValue != nil)
        }
    }
}

/// What one hop of one subscription restores around what it does on its scheduler.
@usableFromInline
final class HopContext: @unchecked Sendable {  // because it is immutable
    fileprivate static let hook = Locked<(() -> Hooks.ContextRestorer?)?>(nil)

    private let restore: Hooks.ContextRestorer

    private init(_ restore: @escaping Hooks.ContextRestorer) {
        self.restore = restore
    }

    /// Asks the hook; nil where there is none, or it captures nothing. For who subscribes.
    @inlinable
    static func capture() -> HopContext? {
        crx_watch_any(CRX_WATCH_CONTEXT) ? ask() : nil
    }

    @usableFromInline
    static func ask() -> HopContext? {
        // Called outside the lock.
        guard let hook = hook.withLock({ $0 }), let restore = hook() else { return nil }
        return HopContext(restore)
    }

    /// Runs `body` in the context.
    @usableFromInline
    func run(_ body: () -> Void) {
        restore(body)
    }
}
