public import Dispatch
import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How often a sequence is subscribed again, and how long the pauses are.
///
/// `maxCount` counts subscriptions, the first one included, so that `.immediate(maxCount: 3)` subscribes again twice.
/// The first takes place in any case. Times are in seconds.
///
/// For pauses that grow and are spread at random, see ``ExponentialBackoff``.
public enum RepeatBehavior: Sendable {
    /// At once, without a pause.
    case immediate(maxCount: UInt)

    /// After the same pause each time.
    case delayed(maxCount: UInt, time: Double)

    /// After pauses that grow: `initial`, and from one to the next by `multiplier` times itself, so that 1 doubles it.
    case exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double)

    /// After the pause that `delayCalculator` returns. It is called before each pause, with the number of subscriptions
    /// so far; `never` stands for no pause.
    @preconcurrency
    case customTimerDelayed(maxCount: UInt, delayCalculator: @Sendable (UInt) -> DispatchTimeInterval)
}

/// Whether to subscribe again after this error.
public typealias RetryPredicate = @Sendable (any Error) -> Bool

/// Whether to subscribe again after completion.
public typealias RepeatPredicate = @Sendable () -> Bool

extension RepeatBehavior {
    /// How many subscriptions there may be, the first included.
    var maxCount: UInt {
        switch self {
        case .immediate(let maxCount), .delayed(let maxCount, _), .exponentialDelayed(let maxCount, _, _),
            .customTimerDelayed(let maxCount, _):
            maxCount
        }
    }

    /// The pause after so many subscriptions; nil for none.
    func pause(after count: UInt) -> RxTimeInterval? {
        switch self {
        case .immediate:
            return nil
        case .delayed(_, let time):
            return .wholeMilliseconds(ofSeconds: time)
        case .exponentialDelayed(_, let initial, let multiplier):
            // What has grown to infinity is not to make a number that is none of a pause of zero.
            return .wholeMilliseconds(ofSeconds: initial == 0 ? 0 : initial * pow(1 + multiplier, Double(count - 1)))
        case .customTimerDelayed(_, let delayCalculator):
            let pause = delayCalculator(count)
            return pause == .never ? nil : pause
        }
    }
}

extension RxTimeInterval {
    /// A span of so many seconds, cut to whole milliseconds; the longest there is where it does not fit.
    fileprivate static func wholeMilliseconds(ofSeconds seconds: Double) -> RxTimeInterval {
        let milliseconds = (seconds * 1000).rounded(.towardZero)
        return .milliseconds(Int(exactly: milliseconds) ?? (milliseconds < 0 ? 0 : .max))
    }
}
