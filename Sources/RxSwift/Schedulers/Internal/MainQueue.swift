package import Dispatch

package enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// How long the first job may wait without a warning. Set by a test before it enqueues work.
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

    /// True on the main thread or, after `dispatchMain()`, on the thread that drains the queue.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    /// Called before work is enqueued. The first call starts a check, which warns once if the queue does not run. In a
    /// release build, the check is off until ``insistOnDrain()`` is called.
    package static func expectDrain() {
        check.begin()
    }

    package static var isJudged: Bool { check.isOver }

    /// Enables the check in a release build, before work is enqueued. Called if the library, and not the program, chose
    /// the main queue.
    package static func insistOnDrain() {
        check.arm()
    }
}
