package import Dispatch

/// What the library knows of the main queue.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// How long the first work may wait there. A test that has less patience says so before there is any.
    package nonisolated(unsafe) static var patience = DispatchTimeInterval.seconds(3)

    private static let check: QueueProbe = {
        let check = QueueProbe(of: DispatchQueue.main, patience: patience) {
            StandardError.say(
                """
                RxSwift: work for the main queue has waited for 3 seconds, and nothing has run there yet. On Linux the \
                main queue runs only while the main thread is in `dispatchMain()` or runs its run loop, or in a \
                program with an asynchronous `main`; MainScheduler, ConcurrentMainScheduler, Driver and Signal deliver \
                nothing before that. A server that has no use for the main queue gives Driver and Signal another \
                scheduler with `SharingScheduler.use(_:)`. (This is said once.)
                """)
        }
        #if DEBUG
            check.arm()
        #endif
        return check
    }()

    /// Whether the calling thread runs for the main queue: the main thread, or, after `dispatchMain()`, whichever
    /// drains it.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    /// To be called where work is put on the main queue: the first call begins a check that warns, once, if nobody runs
    /// the queue; in a release build only after ``insistOnDrain()``. Later calls cost one load.
    package static func expectDrain() {
        check.begin()
    }

    /// Whether a check has come to its verdict.
    package static var isJudged: Bool { check.isOver }

    /// To be called by who puts work on the main queue without the program's naming it: a release build then checks,
    /// too.
    package static func insistOnDrain() {
        check.arm()
    }
}
