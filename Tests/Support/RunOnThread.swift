import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread that has not come back in time. It goes on; the test has failed.
package struct TimedOut: Error, CustomStringConvertible {
    package let what: String
    package let seconds: Double

    package var description: String { "\(what) has not ended after \(seconds) s" }
}

/// Runs a body on a thread of its own and waits for it, but not for ever.
///
/// - Parameters:
///   - stackSize: of the thread, in bytes; the system's usual size unless said otherwise.
///   - seconds: how long to wait.
///   - body: runs on the thread. It need not be `@Sendable`: the caller does nothing but wait.
/// - Returns: what the body returned.
/// - Throws: what the body threw, or ``TimedOut``.
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

/// Runs a body on several threads, which begin at the same moment, and waits for all of them, but not for ever. They
/// may have run other bodies before.
///
/// - Parameters:
///   - threads: how many.
///   - seconds: how long to wait for all of them together.
///   - body: runs once on each thread, with the thread's index. It guards for itself what its calls share.
/// - Throws: ``TimedOut``, with how many were still running.
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

/// A body, and then its result. The thread writes `result` before it signals `done`, the waiter reads it after that.
private final class Errand<Success>: @unchecked Sendable {
    private var body: (() throws -> Success)?
    private(set) var result: Result<Success, any Error>?
    let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping () throws -> Success) {
        self.body = body
    }

    func run() {
        result = Result { try body!() }
        // What the body holds is gone before the waiter goes on, so that a test may count what lives.
        body = nil
        done.signal()
    }
}

/// Holds threads back until all of them are there.
private final class Barrier: @unchecked Sendable {  // `missing` is touched under the mutex only.
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

/// Threads that are used again, so that all tests together start some hundreds and not a hundred thousand.
///
/// The system's numbers of threads begin anew after some ten thousands. LeakSanitizer takes a living thread for one
/// with its number that was joined long ago, and then what only the living one holds for lost.
// @unchecked Sendable because `errand` is written by who has taken the thread from the idle ones, before it signals.
private final class Crew: @unchecked Sendable {
    private static let idle = Guarded<[Crew]>([])

    private let isCalled = DispatchSemaphore(value: 0)
    private var errand: (@Sendable () -> Void)?

    /// Runs a body on a thread that is idle, or on a new one.
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

/// Starts a thread that nobody waits for.
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
