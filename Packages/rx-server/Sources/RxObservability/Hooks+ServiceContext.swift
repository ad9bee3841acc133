public import RxSwift
internal import Tracing

extension Hooks {
    /// Has the `ServiceContext` in which a subscription is made carried through its hops: `observe(on:)`, timers and
    /// their like restore it around what they do on their scheduler.
    ///
    /// `traced` calls it by itself. Call it at the start of the program where a logger's metadata provider is to find
    /// the context without that. Once is enough, and more often does nothing.
    ///
    /// It stands in front of the `Hooks.captureContext` that is set when it is first called, and calls that,
    /// too; set later, that hook takes its place. A subscription that is made without a context costs what it did.
    public static func carryServiceContext() {
        _ = ServiceContextHook.isInstalled
    }
}

private enum ServiceContextHook {
    /// Once in the life of the process.
    static let isInstalled: Bool = {
        // The hook is a closure of whoever sets it; any thread may call it.
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
