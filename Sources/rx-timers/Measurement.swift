import Dispatch
import Glibc

struct Measurement {
    /// The operations' costs on the calling thread, in nanoseconds per timer.
    let start: Int, reset: Int, cancel: Int
    /// Resident bytes per timer, with a closure that captures nothing.
    let bytes: Int
    /// The lateness of the measured timers in nanoseconds, in ascending order. During the measurement, `count` other
    /// timers are pending. In the middle of the measurement, the timer wheel reaches the slot that contains them.
    let lateness: [Int]

    /// The number of measured timers. One is due each millisecond.
    private static let samples = 2_000

    init<T: Timers>(of timers: T, count: Int) {
        var spans = Spans()
        timers.settle()
        // The first timer makes the timer service allocate memory of its own, and the array `pending` needs memory.
        // Neither is counted in `bytes`.
        timers.cancel(timers.start(after: spans.next()) {})
        var pending = [T.Timer](repeating: timers.start(after: spans.next()) {}, count: count)
        timers.cancel(pending[0])
        let before = Self.resident()
        start = Self.nanoseconds(count) {
            for index in 0..<count { pending[index] = timers.start(after: spans.next()) {} }
        }
        bytes = (Self.resident() - before) / count
        reset = Self.nanoseconds(count) {
            for index in pending.indices { timers.reset(&pending[index], after: spans.next()) {} }
        }
        let boundary = Self.boundary(after: Self.now() + (start + reset) * count)
        for index in pending.indices {
            timers.reset(
                &pending[index], after: boundary + 2_000_000_000 + index * 14_000 % 14_000_000_000 - Self.now()
            ) {}
        }
        lateness = Self.lateness(timers, around: boundary)
        cancel = Self.nanoseconds(count) {
            for timer in pending { timers.cancel(timer) }
        }
        pending = []
        timers.settle()
    }

    /// The start of the timer wheel's first slot that begins more than four seconds after `moment`. A slot is 2^34 ns
    /// (17 s) long.
    private static func boundary(after moment: Int) -> Int {
        let slot = 1 << 34
        return (moment + 4_000_000_000 + slot) / slot * slot
    }

    private static func lateness<T: Timers>(_ timers: T, around boundary: Int) -> [Int] {
        let late = UnsafeMutablePointer<Int>.allocate(capacity: samples)
        defer { late.deallocate() }
        let done = DispatchSemaphore(value: 0)
        // The timers' queue writes each element once. The elements are read after all timers have signalled.
        nonisolated(unsafe) let slots = late
        let running = (0..<samples).map { index in
            let due = boundary + (index - samples / 2) * 1_000_000
            return timers.start(after: due - now()) {
                slots[index] = now() - due
                done.signal()
            }
        }
        for _ in 0..<samples { done.wait() }
        for timer in running { timers.cancel(timer) }
        return UnsafeBufferPointer(start: late, count: samples).sorted()
    }

    private static func nanoseconds(_ count: Int, _ body: () -> Void) -> Int {
        let begin = now()
        body()
        return (now() - begin) / count
    }

    private static func now() -> Int {
        Int(DispatchTime.now().uptimeNanoseconds)
    }

    /// The resident bytes of the process. The process is new, so no allocation reuses freed memory.
    private static func resident() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    }
}

/// Random spans from one to eleven minutes, so that no timer comes due during the measurement.
private struct Spans {
    private var state: UInt64 = 1

    mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return 60_000_000_000 + Int(state >> 24) % 600_000_000_000
    }
}
