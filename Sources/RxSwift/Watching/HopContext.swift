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
    /// It is called by who subscribes, once for each hop of the subscription (`observe(on:)`, `subscribe(on:)`,
    /// `delay`, timers and operators with a timer, cold sources on a scheduler, `create(flow:)` where it can pause), and
    /// never for an event. What it returns is kept with that hop, and called around what the hop does on its scheduler:
    /// deliveries, the end too, ticks, the subscription of the source, going on after a pause. Nil leaves the hop as it
    /// is.
    ///
    /// Where no hook is set, or it returns nil, an event costs nothing more. Where it captures, an event costs one more
    /// stage at each hop, and what the restorer takes.
    ///
    /// Any thread may set it; it applies to what is subscribed from then on. No lock is held while it or a restorer
    /// runs. A restorer that does not call its argument loses an event.
    @preconcurrency
    public static var captureContext: (@Sendable () -> ContextRestorer?)? {
        get { HopContext.hook.withLock { $0 }.capture }
        set {
            var replaced = HopContext.Hook(capture: newValue)
            HopContext.hook.withLock { hook in
                swap(&hook, &replaced)
                crx_watch_set(CRX_WATCH_CONTEXT, hook.capture != nil)
            }
        }
    }
}

/// What one hop of one subscription brings to its scheduler: the context that it restores around what it does there,
/// and where the subscription was made, for the watch that may find it stalled.
@usableFromInline
final class HopContext: @unchecked Sendable {  // because it is immutable
    /// In a struct of its own: a closure that has been through generic code, as itself, allocates in each of its calls.
    fileprivate struct Hook {
        var capture: (@Sendable () -> Hooks.ContextRestorer?)?
    }

    fileprivate static let hook = Locked(Hook())

    private let restore: Hooks.ContextRestorer?
    /// Nil where nobody watches for stalls.
    private let site: CallSite?

    init(_ restore: Hooks.ContextRestorer?, _ site: CallSite? = nil) {
        self.restore = restore
        self.site = site
    }

    /// What there is to bring, for who subscribes: nil where no hook captures anything, and nobody watches for stalls.
    @inlinable
    static func capture() -> HopContext? {
        crx_watch_any(CRX_WATCH_CONTEXT | CRX_WATCH_STALLS) ? ask() : nil
    }

    @usableFromInline
    static func ask() -> HopContext? {
        // Called outside the lock.
        let restore = hook.withLock { $0 }.capture?()
        let site = crx_watch_any(CRX_WATCH_STALLS) ? Hooks.recordedCallSite() : nil
        return restore == nil && site == nil ? nil : HopContext(restore, site)
    }

    /// Runs `body` in the context.
    func run(_ body: () -> Void) {
        if let site { StallRun.deliver(site) { restored(body) } } else { restored(body) }
    }

    /// What `body` queues on a trampoline that runs already comes later, and is run in the context then.
    private func restored(_ body: () -> Void) {
        guard let restore else { return body() }
        guard let trampoline = Trampoline.current else { return restore(body) }
        let mark = trampoline.pointee.last
        restore(body)
        trampoline.pointee.replace(after: mark) { ContextJob($0, self) }
    }
}

/// A job that was queued in a context.
private final class ContextJob: ScheduledJob, @unchecked Sendable {  // because it is immutable
    private let job: ScheduledJob
    private let context: HopContext

    init(_ job: ScheduledJob, _ context: HopContext) {
        self.job = job
        self.context = context
        super.init()
    }

    override func run() {
        context.run { job.run() }
    }
}
