#if Foundation && DEBUG
    internal import Foundation
#endif
internal import CRxCore

/// What a program may hook into, for all sequences at once.
public enum Hooks {
    /// Takes an error that no observer took, and where the subscription was made (empty unless ``recordCallStackOnError`` is set).
    public typealias DefaultErrorHandler = (_ subscriptionCallStack: [String], _ error: any Swift.Error) -> Void

    /// Finds out where a subscription is made.
    public typealias CustomCaptureSubscriptionCallstack = () -> [String]

    /// Whether each subscription records where it was made, for the error handler. Off by default: it is slow. Any thread may set it.
    public static var recordCallStackOnError: Bool {
        get { crx_call_stacks_are_recorded() }
        set { crx_call_stacks_record(newValue) }
    }

    /// Called with an error that reaches a subscription without an error handler. Prints it by default.
    ///
    /// Any thread may set it; it is called on the thread that delivers the error, with no lock held.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handlers.withLock { $0.error } }
        set {
            var replaced = newValue
            handlers.withLock { swap(&$0.error, &replaced) }
        }
    }

    /// Called at each subscription while ``recordCallStackOnError`` is set. Any thread may set it; it is called by who subscribes.
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { handlers.withLock { $0.callStack } }
        set {
            var replaced = newValue
            handlers.withLock { swap(&$0.callStack, &replaced) }
        }
    }

    private static let handlers = Locked(Handlers())
}

/// The hooks as they are set.
private struct Handlers {
    var error: Hooks.DefaultErrorHandler = { callStack, error in
        print("Unhandled error happened: \(error)")
        if !callStack.isEmpty { print("subscription called from:\n\(callStack.joined(separator: "\n"))") }
    }

    var callStack: Hooks.CustomCaptureSubscriptionCallstack = {
        #if Foundation && DEBUG
            Thread.callStackSymbols
        #else
            []
        #endif
    }
}
