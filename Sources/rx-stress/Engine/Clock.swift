import Glibc

/// Nanoseconds of the monotonic clock.
enum Clock {
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    static func seconds(since start: UInt64) -> Double {
        Double(now() &- start) / 1e9
    }

    /// Keeps the processor busy, like a slow observer. A sleep would give the processor to the pushers.
    static func burn(nanoseconds: UInt64) {
        let start = now()
        while now() &- start < nanoseconds {}
    }
}
