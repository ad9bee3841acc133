internal import CRxCore
internal import Dispatch
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A thread of the library. The first caller of `join` joins it. If there is none, `deinit` detaches the thread.
///
/// Guards:
/// - `handle`, `isClaimed`: protected by the lock. The new thread and its starter both set the handle.
/// - `hasStarted`, `hasEnded`: semaphores. Each waiter signals again, so that all waiters continue.
final class Pthread: @unchecked Sendable {  // because of the guards above
    private struct State {
        var handle: pthread_t?
        var isClaimed = false
        #if RX_EXPLORE
            /// The controlled thread that runs the body, or 0.
            var controlled: UInt = 0
        #endif
    }

    private let state = Locked(State())
    private let hasStarted = ParkingSemaphore()
    private let hasEnded = ParkingSemaphore()

    deinit {
        let left = state.withLock { $0.isClaimed ? nil : $0.handle }
        if let left { pthread_detach(left) }
    }

    /// Returns 0 or the system's error. After an error, the caller may retry.
    func start(name: String, stackSize: Int?, _ body: @escaping () -> Void) -> Int32 {
        #if RX_EXPLORE
            if Explored.isCaller {
                startControlled(body)
                return 0
            }
        #endif
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        let start = Unmanaged.passRetained(Start(self, name, body))
        var handle = pthread_t()
        let failure = crx_thread_create(&handle, &attributes, Pthread.main, start.toOpaque())
        if failure == 0 {
            state.withLock { $0.handle = handle }
            hasStarted.signal()
        } else {
            start.release()
        }
        return failure
    }

    #if RX_EXPLORE
        /// The explorer's thread needs no join: `hasEnded` is signalled at the end.
        private func startControlled(_ body: @escaping () -> Void) {
            state.withLock { $0.isClaimed = true }
            Explored.spawn { [self] in
                state.withLock { $0.controlled = crx_thread_self() }
                body()
                state.withLock { $0.controlled = 0 }
                hasEnded.signal()
            }
            hasStarted.signal()
        }
    #endif

    static func check(stackSize: Int?, operator scheduler: StaticString) {
        guard let stackSize else { return }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if stackSize < 0 || pthread_attr_setstacksize(&attributes, stackSize) != 0 {
            rxFatalError(
                "A thread can't have this stack size", operator: scheduler, argument: "stackSize", value: stackSize)
        }
    }

    private final class Start {
        let thread: Pthread
        let name: String
        let body: () -> Void

        init(_ thread: Pthread, _ name: String, _ body: @escaping () -> Void) {
            self.thread = thread
            self.name = name
            self.body = body
        }
    }

    #if canImport(Darwin)
        private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { run($0) }
    #else
        private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { run($0) }
    #endif

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let start = Unmanaged<Start>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue()
        start.thread.state.withLock { $0.handle = pthread_self() }
        crx_thread_begin(start.name)
        start.body()
        return nil
    }

    var isCurrent: Bool {
        #if RX_EXPLORE
            if state.withLock({ $0.controlled == crx_thread_self() }) { return true }
        #endif
        return state.withLock { state in state.handle.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Waits until the thread ends or `giveUp` is called. Any other thread may call `join`, repeatedly.
    func join() {
        hasStarted.wait()
        hasStarted.signal()
        let claimed: pthread_t? = state.withLock { state in
            if state.isClaimed { return nil }
            state.isClaimed = true
            return state.handle
        }
        if let claimed { pthread_join(claimed, nil) } else { hasEnded.wait() }
        hasEnded.signal()
    }

    /// Ends the wait in `join`. Called if the thread will never start.
    func giveUp() {
        state.withLock { $0.isClaimed = true }
        hasEnded.signal()
        hasStarted.signal()
    }
}
