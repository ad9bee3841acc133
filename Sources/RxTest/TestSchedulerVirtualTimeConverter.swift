#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Virtual time in whole steps, each `resolution` seconds long.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
    /// A number of steps since time 0.
    public typealias VirtualTimeUnit = Int

    /// A number of steps.
    public typealias VirtualTimeIntervalUnit = Int

    private let resolution: Double

    init(resolution: Double) {
        self.resolution = resolution
    }

    /// The date `virtualTime` steps after 1 January 1970.
    public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    /// `time` in steps since 1 January 1970, rounded and clamped to the first or last step. Before 1970, the result may
    /// be one step later than the nearest step, as in RxSwift.
    public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }

    /// The length of `virtualTimeInterval` steps, in seconds.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        TimeInterval(virtualTimeInterval) * resolution
    }

    /// `timeInterval` in steps, rounded and clamped to `Int`. For a negative interval, the result may be one more than
    /// the nearest number, as in RxSwift.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
        if resolution == 0 || !resolution.isFinite { Self.refuse(resolution) }
        let steps = timeInterval / resolution + 0.5
        if steps.isNaN {
            rxFatalError(
                "A span of time is not a number.", operator: "TestScheduler", argument: "timeInterval",
                value: timeInterval)
        }
        return VirtualTimeIntervalUnit(exactly: steps.rounded(.towardZero)) ?? (steps < 0 ? .min : .max)
    }

    static func refuse(_ resolution: Double) -> Never {
        rxFatalError(
            "The resolution must be finite and not 0.", operator: "TestScheduler", argument: "resolution",
            value: resolution)
    }

    /// The step `offset` steps after `time`, clamped to the first or last step.
    public func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        let (sum, overflows) = time.addingReportingOverflow(offset)
        return overflows ? offset < 0 ? .min : .max : sum
    }

    /// Compares two steps.
    public func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        if lhs < rhs { .lessThan } else if lhs > rhs { .greaterThan } else { .equal }
    }
}
