import Glibc

/// A thread that calls `tick` every 50 ms and receives Ctrl-C in `sigtimedwait`, not in a signal handler.
enum Ticker {
    /// Call this before the first thread is started, so that only the ticker receives the signals.
    static func claimSignals() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    static func start(_ tick: @escaping @Sendable (_ interrupted: Bool) -> Void) {
        Thread.start {
            var signals = Self.signals
            while true {
                var pause = timespec(tv_sec: 0, tv_nsec: 50_000_000)
                tick(sigtimedwait(&signals, nil, &pause) > 0)
            }
        }
    }

    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }
}
