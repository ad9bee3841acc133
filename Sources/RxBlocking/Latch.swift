#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif
#if Foundation
    internal import Dispatch
    internal import Foundation
#endif

/// A latch that opens once, for a single waiting thread.
///
/// Uses a condition variable, because on Linux a semaphore's timeout follows the wall clock.
///
/// Guards:
/// - `isOpen`, `mainQueueHasRun`: protected by the mutex.
/// - `servesMainQueue`: set by `init`, which the waiting thread calls.
final class Latch: @unchecked Sendable {  // because of the guards above
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let opened = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false
    private var mainQueueHasRun = false
    #if Foundation
        private let servesMainQueue = Thread.isMainThread
        /// If the block of `serveMainQueue` has not run after this number of run loop rounds, the main queue counts as
        /// blocked.
        private static let rounds = 25
    #else
        private let servesMainQueue = false
    #endif

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(opened, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(opened)
        pthread_mutex_destroy(mutex)
        opened.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` under the lock, unless the latch is open. `body` must not call user code or release a user's value.
    func whileClosed(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        if !isOpen { body() }
        pthread_mutex_unlock(mutex)
    }

    func open(_ body: () -> Void) {
        whileClosed {
            body()
            isOpen = true
            pthread_cond_signal(opened)
        }
        #if Foundation
            // An empty block makes the main run loop return. The waiting thread then reads `isOpen`.
            if servesMainQueue, !Thread.isMainThread { DispatchQueue.main.async {} }
        #endif
    }

    /// - Parameters:
    ///   - deadline: nil for no timeout.
    ///   - obstacle: the reason why the latch cannot open while the thread waits; nil for none. `.mainQueue` is ignored
    ///     if the wait runs the main queue.
    /// - Returns: nil if the latch is open, or the wait's error.
    func wait(until deadline: Moment?, past obstacle: DeadlockDetector.Obstacle?) -> (any Error)? {
        if let obstacle, !sleep(until: .now) {
            switch obstacle {
            case .held(let what): return DeadlockError(waitingOn: what)
            case .mainQueue: if !servesMainQueue { return DeadlockError(waitingOn: "the main queue") }
            }
        }
        #if Foundation
            if servesMainQueue { return serveMainQueue(until: deadline, isNeeded: obstacle != nil) }
        #endif
        return sleep(until: deadline) ? nil : RxError.timeout
    }

    private func sleep(until deadline: Moment?) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isOpen {
            guard let deadline else {
                pthread_cond_wait(opened, mutex)
                continue
            }
            var time = deadline.systemTime
            if pthread_cond_timedwait(opened, mutex, &time) == ETIMEDOUT { return isOpen }
        }
        return true
    }

    #if Foundation
        private func serveMainQueue(until deadline: Moment?, isNeeded: Bool) -> (any Error)? {
            if isNeeded {
                DispatchQueue.main.async { [self] in whileClosed { mainQueueHasRun = true } }
            }
            var rounds = 0
            while !sleep(until: .now) {
                let now = Moment.now
                if let deadline, deadline <= now { return RxError.timeout }
                rounds += 1
                if isNeeded, rounds > Self.rounds, !hasRunMainQueue {
                    return DeadlockError(waitingOn: "the main queue")
                }
                // A run loop's limit follows the wall clock, which can be set. So the slices are short.
                let slice = min(deadline?.seconds(since: now) ?? .infinity, 0.02)
                // In a block of the main queue, the run loop does not run, so the thread sleeps.
                if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: slice)) {
                    if sleep(until: Moment(after: slice)) { return nil }
                }
            }
            return nil
        }

        private var hasRunMainQueue: Bool {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return mainQueueHasRun
        }
    #endif
}
