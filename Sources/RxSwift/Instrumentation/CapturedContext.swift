public import CRxCore

extension Hooks {
    /// Calls `body` exactly once, in a captured context, before returning.
    public typealias ContextRestorer = (_ body: () -> Void) -> Void

    /// Captures the subscribing thread's context for the scheduler boundaries of the subscription. Nil by default.
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
    /// Called on the subscribing thread, once for each scheduler boundary of the subscription. Scheduler boundaries are
    /// `observe(on:)`, `subscribe(on:)`, `delay`, timers and operators with a timer, cold sources on a scheduler, and
    /// `create(flow:)` in a chain that can pause. They call the returned restorer around their work on the scheduler:
    /// deliveries including the end, ticks, the subscription to the source, and resumes.
    ///
    /// Any thread may set the hook, which applies to later subscriptions. The hook and restorers are called without a
    /// lock. If a restorer does not call its argument, an event is lost.
    @preconcurrency
    public static var captureContext: (@Sendable () -> ContextRestorer?)? {
        get { CapturedContext.hook.withLock { $0 }.capture }
        set {
            var replaced = CapturedContext.Hook(capture: newValue)
            CapturedContext.hook.withLock { hook in
                swap(&hook, &replaced)
                crx_watch_set(CRX_WATCH_CONTEXT, hook.capture != nil)
            }
        }
    }
}

/// The context and the call stack that a scheduler boundary has captured; see ``Hooks/watchForStalls(longerThan:_:)``.
@usableFromInline
final class CapturedContext: @unchecked Sendable {  // because it is immutable
    /// A structure, because the generic `withLock` would allocate at each call if it returned the closure itself.
    fileprivate struct Hook {
        var capture: (@Sendable () -> Hooks.ContextRestorer?)?
    }

    fileprivate static let hook = Locked(Hook())

    private let restore: Hooks.ContextRestorer?
    /// The subscription's call site; nil if stalls are not watched.
    private let site: CallSite?

    init(_ restore: Hooks.ContextRestorer?, _ site: CallSite? = nil) {
        self.restore = restore
        self.site = site
    }

    /// The subscribing thread's context and call stack; nil if there is neither.
    @inlinable
    static func capture() -> CapturedContext? {
        crx_watch_any(CRX_WATCH_CONTEXT | CRX_WATCH_STALLS) ? ask() : nil
    }

    @usableFromInline
    static func ask() -> CapturedContext? {
        let restore = hook.withLock { $0 }.capture?()
        let site = crx_watch_any(CRX_WATCH_STALLS) ? Hooks.recordedCallSite() : nil
        return restore == nil && site == nil ? nil : CapturedContext(restore, site)
    }

    func run(_ body: () -> Void) {
        if let site { StallRun.deliver(site) { restored(body) } } else { restored(body) }
    }

    /// Runs `body` in the context. Jobs that `body` enqueues on a running trampoline run later, so these jobs are
    /// wrapped too.
    private func restored(_ body: () -> Void) {
        guard let restore else { return body() }
        guard let trampoline = Trampoline.current else { return restore(body) }
        let mark = trampoline.pointee.last
        restore(body)
        trampoline.pointee.replace(after: mark) { ContextJob($0, self) }
    }
}

private final class ContextJob: ScheduledJob, @unchecked Sendable {  // because it is immutable
    private let job: ScheduledJob
    private let context: CapturedContext

    init(_ job: ScheduledJob, _ context: CapturedContext) {
        self.job = job
        self.context = context
        super.init()
    }

    override func run() {
        context.run { job.run() }
    }
}
