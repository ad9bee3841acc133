#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif
#if Foundation
    internal import Dispatch
    internal import Foundation
#endif

/// Opens once, and lets through the one thread that waits for it.
///
/// A condition and no semaphore, because a semaphore's timeout follows the wall clock on Linux.
/// - `isOpen`, `mainQueueHasRun`: under the mutex.
/// - `servesMainQueue`: set when made, by the thread that will wait.
final class Latch: @unchecked Sendable {  // because of the guards above
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let opened = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false
    private var mainQueueHasRun = false
    #if Foundation
        private let servesMainQueue = Thread.isMainThread
        /// So many rounds of the run loop, of which each would have run what waits on the main queue, prove that none
        /// does.
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

    /// Runs `body` under the lock, unless it is open. `body` may neither call out nor release a user's value.
    func whileClosed(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        if !isOpen { body() }
        pthread_mutex_unlock(mutex)
    }

    /// Opens it, unless it is open, with `body` under the lock just before.
    func open(_ body: () -> Void) {
        whileClosed {
            body()
            isOpen = true
            pthread_cond_signal(opened)
        }
        #if Foundation
            // Work on the main queue is what makes its run loop return.
            if servesMainQueue, !Thread.isMainThread { DispatchQueue.main.async {} }
        #endif
    }

    /// Waits until it is open.
    ///
    /// - Parameters:
    ///   - deadline: how long.
    ///   - obstacle: what keeps it closed as long as the thread does nothing but wait.
    /// - Returns: nil if it is open, or why the wait has ended.
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
                // Slices, because a run loop is told by the wall clock when to return.
                let slice = min(deadline?.seconds(since: now) ?? .infinity, 0.02)
                // A block of the main queue that waits gets no run loop: the queue cannot go on before the block has
                // ended.
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
