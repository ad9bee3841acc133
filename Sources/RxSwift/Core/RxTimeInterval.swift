public import Dispatch

/// A span of time: Dispatch's `DispatchTimeInterval`.
///
///     let poll: RxTimeInterval = .seconds(0.5)
///     let pause = RxTimeInterval(Duration.milliseconds(20))
///
/// A public default argument such as `every: RxTimeInterval = .seconds(5)` needs `import Dispatch`, which declares the
/// enum case `.seconds(5)`. For `.seconds(0.5)`, `import RxSwift` suffices.
public typealias RxTimeInterval = DispatchTimeInterval

extension DispatchTimeInterval {
    /// A span of `seconds`, rounded to the nearest nanosecond. `seconds` may have a fraction.
    ///
    ///     requests.timeout(.seconds(0.5), scheduler: scheduler)
    ///
    /// `.seconds(5)`, with an integer, is Dispatch's enum case. More than 292 years is `never`. NaN stops the process.
    public static func seconds(_ seconds: Double) -> DispatchTimeInterval {
        if seconds.isNaN {
            rxFatalError("a span must be a number", operator: "RxTimeInterval", argument: "seconds", value: seconds)
        }
        let nanoseconds = (seconds * 1e9).rounded()
        if let exact = Int(exactly: nanoseconds) { return .nanoseconds(exact) }
        return nanoseconds > 0 ? .never : .nanoseconds(.min)
    }

    /// The span of `duration`, rounded up to whole nanoseconds: a positive duration does not become zero. More than 292
    /// years is `never`.
    ///
    ///     requests.timeout(.init(limit), scheduler: scheduler)
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let part = attoseconds / 1_000_000_000 + (attoseconds % 1_000_000_000 > 0 ? 1 : 0)
        let (sum, exceeds) = whole.addingReportingOverflow(Int(part))
        if overflows || exceeds {
            self = seconds > 0 ? .never : .nanoseconds(.min)
        } else {
            self = .nanoseconds(sum)
        }
    }
}
