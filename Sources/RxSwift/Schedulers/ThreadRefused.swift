#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

internal import CRxCore

/// The system made no thread where the library needed one: too many are there, or there is no memory for a stack.
///
/// It goes to ``Hooks/defaultErrorHandler``, once for each shortage, on the thread that needed the new one. Where that
/// is the timers' thread, on which nothing of a program's runs, it goes there on a thread that is made for it, as soon
/// as the system makes one.
///
/// What was scheduled waits, and the library tries again ten times a second. For the timers' own thread Dispatch says
/// when: where that has made no thread yet and gets none either, who starts the first timer waits until it gets one.
public struct ThreadRefused: Error, Sendable, CustomStringConvertible {
    /// What the thread was to be called.
    public let name: String
    /// The system's error, as in `errno`.
    public let code: Int32

    /// The thread and the error in words.
    public var description: String { "No thread could be made for \(name): \(String(cString: strerror(code)))" }

    func report() {
        guard crx_timers_is_current(TimerService.shared) else { return Hooks.defaultErrorHandler([], self) }
        let failure = Pthread().start(name: "rx.refused", stackSize: nil) { Hooks.defaultErrorHandler([], self) }
        if failure != 0 { Self.retry { report() } }
    }

    /// Calls `again`, soon, on the timers' thread: it calls nothing of a user's, and frees nothing.
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
