import Dispatch
import RxSwift
import ServerSupport
import Testing

struct SpansTests {
    @Test func spanInNanosecondsIsClamped() {
        let spans: [(RxTimeInterval, Int)] = [
            (.seconds(2), 2_000_000_000), (.milliseconds(-3), -3_000_000), (.microseconds(4), 4_000),
            (.nanoseconds(5), 5), (.seconds(.max), .max), (.milliseconds(.min), .min), (.never, .max),
        ]
        for (span, nanoseconds) in spans { #expect(span.inNanoseconds == nanoseconds) }
    }

    @Test func durationInNanosecondsIsClamped() {
        let durations: [(Duration, Int)] = [
            (.seconds(2), 2_000_000_000), (.nanoseconds(-5), -5), (.seconds(Int64.max), .max),
            (.seconds(Int64.min), .min),
        ]
        for (duration, nanoseconds) in durations { #expect(duration.inNanoseconds == nanoseconds) }
    }
}
