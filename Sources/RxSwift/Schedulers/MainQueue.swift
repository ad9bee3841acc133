internal import Dispatch

/// What the library knows of the main queue.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    #if DEBUG
        private static let check = DrainCheck(of: DispatchQueue.main, patience: .seconds(3)) {
            DrainCheck.warn(
                """
                RxSwift: work for the main queue has waited for 3 seconds, and nothing has run there yet. On Linux the main queue runs only \
                while the main thread is in `dispatchMain()` or runs its run loop, or in a program with an asynchronous `main`; \
                MainScheduler, ConcurrentMainScheduler and Driver deliver nothing before that. (Debug builds say this once.)
                """)
        }
    #endif

    /// Whether the calling thread runs for the main queue: the main thread, or, after `dispatchMain()`, whichever drains it.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    /// To be called by whoever puts work on the main queue: in a debug build the first call begins a check that warns, once, if nobody
    /// runs the queue. Later calls cost one load.
    package static func expectDrain() {
        #if DEBUG
            check.begin()
        #endif
    }
}
