import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The error for a thread that has not returned in time. The thread continues to run.
package struct TimedOut: Error, CustomStringConvertible {
    package let what: String
    package let seconds: Double

    package var description: String { "\(what) has not ended after \(seconds) s" }
}

/// Runs a body on its own thread and waits for it, with a time limit. `stackSize` is in bytes; nil selects the system's
/// default. The body need not be `@Sendable`, because the caller only waits.
///
/// - Throws: the error of the body, or ``TimedOut``.
@discardableResult
package func runOnThread<Result>(
    stackSize: Int? = nil, timeout seconds: Double = 300, _ body: @escaping () throws -> Result
) throws -> Result {
    let errand = Errand(body)
    startThread(stackSize: stackSize) { errand.run() }
    guard errand.done.wait(timeout: .now() + seconds) == .success else {
        throw TimedOut(what: "the thread", seconds: seconds)
    }
    return try errand.result!.get()
}

/// Calls `body` once on each of several threads, with the thread's index. All calls begin at the same moment. The
/// threads may have run other bodies before. `body` must protect shared state.
///
/// - Throws: ``TimedOut`` if a thread still runs after `seconds`.
package func runConcurrently(threads: Int, timeout seconds: Double = 300, _ body: @escaping (Int) -> Void) throws {
    let barrier = Barrier(threads)
    let errands = (0..<threads).map { index in Errand { body(index) } }
    for errand in errands {
        Crew.run {
            barrier.arrive()
            errand.run()
        }
    }
    let deadline = DispatchTime.now() + seconds
    for (ended, errand) in errands.enumerated() where errand.done.wait(timeout: deadline) == .timedOut {
        throw TimedOut(what: "\(threads - ended) of \(threads) threads", seconds: seconds)
    }
}

/// A body and its result. The thread writes `result` before it signals `done`. The waiting thread reads it only after
/// that signal.
private final class Errand<Success>: @unchecked Sendable {
    private var body: (() throws -> Success)?
    private(set) var result: Result<Success, any Error>?
    let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping () throws -> Success) {
        self.body = body
    }

    func run() {
        result = Result { try body!() }
        // Frees the body's captures before the waiting thread continues, so that a test may count living objects.
        body = nil
        done.signal()
    }
}

private final class Barrier: @unchecked Sendable {  // `missing` is accessed only under the mutex
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var missing: Int

    init(_ threads: Int) {
        missing = threads
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func arrive() {
        pthread_mutex_lock(mutex)
        missing -= 1
        if missing == 0 { pthread_cond_broadcast(condition) }
        while missing > 0 { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}

/// A thread that is reused. Without reuse, the tests start so many threads that the system reuses their numbers, and
/// LeakSanitizer then reports false leaks.
// @unchecked Sendable because only the thread that took a member from `idle` writes its `errand`, before it signals.
private final class Crew: @unchecked Sendable {
    private static let idle = Guarded<[Crew]>([])

    private let isCalled = DispatchSemaphore(value: 0)
    private var errand: (@Sendable () -> Void)?

    static func run(_ body: @escaping @Sendable () -> Void) {
        if let member = idle.withLock({ $0.popLast() }) {
            member.errand = body
            member.isCalled.signal()
        } else {
            let member = Crew(body)
            startThread { member.work() }
        }
    }

    private init(_ body: @escaping @Sendable () -> Void) {
        errand = body
    }

    private func work() {
        while true {
            errand.take()?()
            Self.idle.withLock { $0.append(self) }
            isCalled.wait()
        }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

package func startThread(stackSize: Int? = nil, _ run: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { precondition(pthread_attr_setstacksize(&attributes, stackSize) == 0, "stack size \(stackSize)") }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let body = Unmanaged.passRetained(ThreadBody(run)).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let status = pthread_create(
        &thread, &attributes,
        { argument in
            #if canImport(Darwin)
                let body = argument
            #else
                let body = argument!
            #endif
            Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
            return nil
        }, body)
    precondition(status == 0, "pthread_create failed with \(status)")
}
