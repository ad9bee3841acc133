public import Dispatch
public import Logging
public import RxSwift
import Synchronization

extension Hooks {
    /// The watch for stalls that was begun here last; it may be over.
    private static let stallWatch = Mutex<SingleAssignmentDisposable?>(nil)

    /// Has the library's own reports logged: errors that nobody handles, elements that are dropped, and stalls.
    ///
    /// ```swift
    /// Hooks.log(to: logger, stallsLongerThan: .milliseconds(100))    // once, at the start of the program
    /// ```
    ///
    /// | what | level | message | metadata |
    /// |---|---|---|---|
    /// | `Hooks.defaultErrorHandler` | error | `unhandled error` | `rx.subscription`: where it was made, while `Hooks.recordCallStackOnError` is set |
    /// | `Hooks.droppedElementHandler` | warning | `elements dropped` | `rx.boundary`, `rx.buffering`, `rx.dropped`: how many by now |
    /// | `Hooks.watchForStalls(longerThan:_:)` | warning | `stall` | `rx.scheduler`, `rx.milliseconds`, `rx.subscription` |
    ///
    /// Drops are logged when a subscription has dropped 1, 2, 4, 8 and so on, so that a flood of them is none in the
    /// log.
    ///
    /// It takes the place of what was set before, and may be set anew. Any thread may call it; what is reported is
    /// logged by the thread that reports it, with no lock held.
    ///
    /// - Parameters:
    ///   - logger: where it is logged.
    ///   - limit: how long a scheduler's job may run; nil, the default, leaves stalls unwatched, and ends the watch of
    ///     an earlier call.
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
                    metadata["rx.milliseconds"] = "\((stall.duration.nanoseconds ?? 0) / 1_000_000)"
                    logger.warning("stall", metadata: metadata)
                })
            return watch
        }
        // A new watch has taken over from the earlier one, which is released without the lock.
        let earlier = stallWatch.withLock { exchange(&$0, with: watch) }
        if watch == nil { earlier?.dispose() }
    }

    private static func subscription(_ callStack: [String]) -> Logger.Metadata {
        callStack.isEmpty ? [:] : ["rx.subscription": .array(callStack.map { "\($0)" })]
    }
}

extension RxTimeInterval {
    /// The span; nil for one that does not end.
    var nanoseconds: Int? {
        switch self {
        case .seconds(let count): count.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        case .milliseconds(let count): count.multipliedReportingOverflow(by: 1_000_000).partialValue
        case .microseconds(let count): count.multipliedReportingOverflow(by: 1_000).partialValue
        case .nanoseconds(let count): count
        case .never: nil
        @unknown default: nil
        }
    }
}
