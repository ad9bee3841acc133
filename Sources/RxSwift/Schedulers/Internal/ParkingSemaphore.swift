internal import CRxCore
internal import Dispatch

#if RX_EXPLORE
    /// A semaphore that the explorer controls. Signals of uncontrolled threads wake no controlled thread.
    ///
    /// Guard: only the core uses `word`, atomically.
    final class ParkingSemaphore: @unchecked Sendable {  // because of the guard above
        private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

        init() { word.initialize(to: 0) }

        deinit { word.deallocate() }

        func signal() { crx_explore_semaphore_signal(word) }

        func wait() { _ = crx_explore_semaphore_wait(word, .max) }

        /// Waits for the next job. Returns false if `span` has elapsed, or the explorer's run is over.
        func park(atMost span: DispatchTimeInterval = .never) -> Bool {
            let span = span.nanosecondsFromZero
            return span == .max ? crx_explore_semaphore_park(word) : crx_explore_semaphore_wait(word, span)
        }
    }
#else
    typealias ParkingSemaphore = DispatchSemaphore

    extension DispatchSemaphore {
        convenience init() { self.init(value: 0) }

        /// Waits for the next job. Returns false if `span` has elapsed.
        func park(atMost span: DispatchTimeInterval = .never) -> Bool {
            wait(timeout: .now() + span) == .success
        }
    }
#endif
