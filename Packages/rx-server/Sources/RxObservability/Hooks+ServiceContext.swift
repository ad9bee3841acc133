public import RxSwift
internal import Tracing

extension Hooks {
    /// Passes the `ServiceContext` of a subscription to its hops: `observe(on:)`, timers and similar operators restore
    /// the context around their work on the scheduler.
    ///
    /// `traced` calls this function. Call it at the start of the program if a logger's metadata provider needs the
    /// context without `traced`. Further calls have no effect.
    ///
    /// If `Hooks.captureContext` is already set, both hooks run. A hook that is set later replaces them. A subscription
    /// without a context has no additional cost.
    public static func carryServiceContext() {
        _ = ServiceContextHook.isInstalled
    }
}

private enum ServiceContextHook {
    static let isInstalled: Bool = {
        let other = Hooks.captureContext
        Hooks.captureContext = {
            let restorer = other?()
            guard let context = ServiceContext.current else { return restorer }
            guard let restorer else { return { body in ServiceContext.withValue(context, operation: body) } }
            return { body in restorer { ServiceContext.withValue(context, operation: body) } }
        }
        return true
    }()
}
