#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

struct Moment: Comparable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment `seconds` from now; nil if it is out of range. A negative number or NaN counts as 0.
    init?(after seconds: Double) {
        let span = (seconds > 0 ? seconds : 0) * 1e9
        guard let span = Int64(exactly: span.rounded(.up)) else { return nil }
        let (sum, overflow) = Self.now.nanoseconds.addingReportingOverflow(span)
        if overflow { return nil }
        nanoseconds = sum
    }

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    func seconds(since earlier: Moment) -> Double { Double(nanoseconds - earlier.nanoseconds) / 1e9 }

    var systemTime: timespec {
        timespec(tv_sec: .init(nanoseconds / 1_000_000_000), tv_nsec: .init(nanoseconds % 1_000_000_000))
    }
}
