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
        get { crx_flag_load_relaxed(storage.flag) != 0 }
        set { crx_flag_store_release(storage.flag, newValue ? 1 : 0) }
    }

    /// Called with an error that reaches a subscription without an error handler. Prints it by default.
    ///
    /// Any thread may set it; it is called on the thread that delivers the error, with no lock held.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { storage.lock.withLock { storage.errorHandler } }
        set {
            var replaced = newValue
            storage.lock.withLock { swap(&storage.errorHandler, &replaced) }
        }
    }

    /// Called at each subscription while ``recordCallStackOnError`` is set. Any thread may set it; it is called by who subscribes.
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { storage.lock.withLock { storage.callStack } }
        set {
            var replaced = newValue
            storage.lock.withLock { swap(&storage.callStack, &replaced) }
        }
    }

    private static let storage = HooksStorage()
}

/// The hooks as they are set.
///
/// - `word`: an atomic flag.
/// - `errorHandler`, `callStack`: guarded by `lock`.
private final class HooksStorage: @unchecked Sendable {  // because of the guards above
    private var words = FlagAndLock()

    @exclusivity(unchecked)
    var errorHandler: Hooks.DefaultErrorHandler = { callStack, error in
        print("Unhandled error happened: \(error)")
        if !callStack.isEmpty { print("subscription called from:\n\(callStack.joined(separator: "\n"))") }
    }

    @exclusivity(unchecked)
    var callStack: Hooks.CustomCaptureSubscriptionCallstack = {
        #if Foundation && DEBUG
            Thread.callStackSymbols
        #else
            []
        #endif
    }

    var flag: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }
    var lock: UnsafeMutablePointer<crx_lock> { FlagAndLock.lock(of: self) }
}
