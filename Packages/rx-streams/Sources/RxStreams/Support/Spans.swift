public import Dispatch
public import RxSwift

extension RxTimeInterval {
    /// The nanoseconds, limited to 100 years; `.never` is 100 years.
    package var nanosecondsClamped: Int {
        let most = 3_155_760_000 * 1_000_000_000
        func clamped(_ count: Int, _ unit: Int) -> Int {
            let (product, overflows) = count.multipliedReportingOverflow(by: unit)
            return overflows ? (count < 0 ? -most : most) : Swift.max(-most, Swift.min(product, most))
        }
        return switch self {
        case .seconds(let count): clamped(count, 1_000_000_000)
        case .milliseconds(let count): clamped(count, 1_000_000)
        case .microseconds(let count): clamped(count, 1_000)
        case .nanoseconds(let count): clamped(count, 1)
        case .never: most
        @unknown default: most
        }
    }
}

extension RxTimeInterval {
    /// The seconds, limited to 100 years.
    package var inSeconds: Double { Double(nanosecondsClamped) / 1e9 }
}

extension StreamDriver {
    /// Waits for a span of the scheduler's time. Throws `CancellationError` if the task is cancelled.
    public func sleep(_ span: RxTimeInterval) async throws {
        _ = try await Single<Int>.timer(span, scheduler: scheduler).value
    }
}
