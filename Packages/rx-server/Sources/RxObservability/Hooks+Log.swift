public import Dispatch
public import Logging
public import RxSwift
import ServerSupport
import Synchronization

extension Hooks {
    /// The stall watch of the latest call of ``log(to:stallsLongerThan:)``; nil if it started none.
    private static let stallWatch = Mutex<SingleAssignmentDisposable?>(nil)

    /// Logs the library's own reports: unhandled errors, dropped elements and stalls.
    ///
    /// ```swift
    /// Hooks.log(to: logger, stallsLongerThan: .milliseconds(100))    // once, at the start of the program
    /// ```
    ///
    /// | source | level | message | metadata |
    /// |---|---|---|---|
    /// | `Hooks.defaultErrorHandler` | error | `unhandled error` | `rx.subscription`: the call stack of the subscription, if `Hooks.recordCallStackOnError` is set |
    /// | `Hooks.droppedElementHandler` | warning | `elements dropped` | `rx.boundary`, `rx.buffering`, `rx.dropped`: the number dropped so far |
    /// | `Hooks.watchForStalls(longerThan:_:)` | warning | `stall` | `rx.scheduler`, `rx.milliseconds`, `rx.subscription` |
    ///
    /// Drops are logged when a subscription has dropped 1, 2, 4, 8 elements and so on.
    ///
    /// This function replaces the hooks that were set before. Any thread may call it, more than once. The reporting
    /// thread calls `logger`, without a lock. A job of a scheduler that runs longer than `limit` is a stall. If `limit`
    /// is nil, no stalls are watched, and the watch of an earlier call ends.
    public static func log(to logger: Logger, stallsLongerThan limit: RxTimeInterval? = nil) {
        defaultErrorHandler = { callStack, error in
            logger.error("unhandled error", error: error, metadata: subscription(callStack))
        }
        droppedElementHandler = { boundary, buffering, dropped in
            guard dropped & (dropped - 1) == 0 else { return }
            logger.warning(
                "elements dropped",
                metadata: [
                    "rx.boundary": "\(boundary)", "rx.buffering": "\(buffering)", "rx.dropped": "\(dropped)",
                ])
        }
        let watch = limit.map { limit in
            let watch = SingleAssignmentDisposable()
            watch.setDisposable(
                watchForStalls(longerThan: limit) { stall in
                    var metadata = subscription(stall.subscriptionCallStack)
                    metadata["rx.scheduler"] = "\(stall.scheduler)"
                    metadata["rx.milliseconds"] = "\(stall.duration.inNanoseconds / 1_000_000)"
                    logger.warning("stall", metadata: metadata)
                })
            return watch
        }
        // Release `earlier` outside the lock.
        let earlier = stallWatch.withLock { exchange(&$0, with: watch) }
        if watch == nil { earlier?.dispose() }
    }

    private static func subscription(_ callStack: [String]) -> Logger.Metadata {
        callStack.isEmpty ? [:] : ["rx.subscription": .array(callStack.map { "\($0)" })]
    }
}
