public import Dispatch
import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The number of subscriptions to a sequence, and the pauses between them.
///
/// `maxCount` is the maximum number of subscriptions including the first, which is always made. Times are in seconds.
/// For random pauses that grow, see ``ExponentialBackoff``.
public enum RepeatBehavior: Sendable {
    /// Subscribes again without a pause.
    case immediate(maxCount: UInt)

    /// Subscribes again after the same pause each time.
    case delayed(maxCount: UInt, time: Double)

    /// Subscribes again after pauses that grow: the first is `initial`, and each further pause is `1 + multiplier`
    /// times the previous pause.
    case exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double)

    /// Subscribes again after the pause that `delayCalculator` returns for the number of subscriptions so far; `never`
    /// means no pause.
    @preconcurrency
    case customTimerDelayed(maxCount: UInt, delayCalculator: @Sendable (UInt) -> DispatchTimeInterval)
}

/// Whether to subscribe again after an error.
public typealias RetryPredicate = @Sendable (any Error) -> Bool

/// Whether to subscribe again after a completion.
public typealias RepeatPredicate = @Sendable () -> Bool

extension RepeatBehavior {
    var maxCount: UInt {
        switch self {
        case .immediate(let maxCount), .delayed(let maxCount, _), .exponentialDelayed(let maxCount, _, _),
            .customTimerDelayed(let maxCount, _):
            maxCount
        }
    }

    /// The pause after `count` subscriptions; nil for none.
    func pause(after count: UInt) -> RxTimeInterval? {
        switch self {
        case .immediate:
            return nil
        case .delayed(_, let time):
            return .wholeMilliseconds(ofSeconds: time)
        case .exponentialDelayed(_, let initial, let multiplier):
            // Zero times infinity would be NaN.
            return .wholeMilliseconds(ofSeconds: initial == 0 ? 0 : initial * pow(1 + multiplier, Double(count - 1)))
        case .customTimerDelayed(_, let delayCalculator):
            let pause = delayCalculator(count)
            return pause == .never ? nil : pause
        }
    }
}

extension RxTimeInterval {
    /// The seconds, truncated to whole milliseconds. If they do not fit into an `Int`, a negative number becomes zero,
    /// and any other number becomes the longest span.
    fileprivate static func wholeMilliseconds(ofSeconds seconds: Double) -> RxTimeInterval {
        let milliseconds = (seconds * 1000).rounded(.towardZero)
        return .milliseconds(Int(exactly: milliseconds) ?? (milliseconds < 0 ? 0 : .max))
    }
}
