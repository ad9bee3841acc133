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
/// - `isOpen`: under the mutex.
/// - `servesMainQueue`: set when made, by the thread that will wait.
final class Latch: @unchecked Sendable {  // because of the guards above
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let opened = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false
    #if Foundation
        private let servesMainQueue = Thread.isMainThread
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
    /// - Returns: whether it is; false once `deadline` has passed.
    func wait(until deadline: Moment?) -> Bool {
        #if Foundation
            if servesMainQueue { return serveMainQueue(until: deadline) }
        #endif
        return sleep(until: deadline)
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
        private func serveMainQueue(until deadline: Moment?) -> Bool {
            while !sleep(until: .now) {
                let now = Moment.now
                if let deadline, deadline <= now { return false }
                // Slices, because a run loop is told by the wall clock when to return.
                let slice = min(deadline?.seconds(since: now) ?? .infinity, 0.02)
                // A block of the main queue that waits gets no run loop: the queue cannot go on before the block has ended.
                if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: slice)) {
                    if sleep(until: Moment(after: slice)) { return true }
                }
            }
            return true
        }
    #endif
}
