#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

internal import CRxCore

/// The system refused a thread of the library: there are too many threads, or no memory for a stack.
///
/// The error is passed to ``Hooks/defaultErrorHandler`` on the thread that needed the new thread. If that is the thread
/// of the timers, a separate thread calls the handler. Failed retries are not reported. A pool reports a refusal only
/// if it has no other thread.
///
/// Scheduled jobs wait, and the library retries every 100 ms.
public struct ThreadRefused: Error, Sendable, CustomStringConvertible {
    /// The name of the refused thread.
    public let name: String
    /// The system's error, as in `errno`.
    public let code: Int32

    /// The name and the system's message.
    public var description: String { "No thread could be made for \(name): \(String(cString: strerror(code)))" }

    func report() {
        guard crx_timers_is_current(TimerService.shared) else { return Hooks.defaultErrorHandler([], self) }
        let failure = Pthread().start(name: "rx.refused", stackSize: nil) { Hooks.defaultErrorHandler([], self) }
        if failure != 0 { Self.retry { report() } }
    }

    /// Calls `again` after 100 ms, on the thread of the timers. `again` must neither call user code nor free a user's
    /// objects.
    static func retry(_ again: @escaping () -> Void) {
        let now = TimerService.now
        Retry(again).start(at: now + 100_000_000, now: now)
    }

    private final class Retry: TimedJob, @unchecked Sendable {  // because its one property never changes
        private let again: () -> Void

        init(_ again: @escaping () -> Void) {
            self.again = again
            super.init(.service)
        }

        override func run() {
            again()
        }
    }
}
