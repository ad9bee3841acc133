#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Defines the units of a ``VirtualTimeScheduler``'s clock and converts them to real time.
public protocol VirtualTimeConverterType {
    /// A point in virtual time.
    associatedtype VirtualTimeUnit

    /// A span of virtual time.
    associatedtype VirtualTimeIntervalUnit

    /// The point in real time that corresponds to `virtualTime`.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

    /// The point in virtual time that corresponds to `time`.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

    /// Returns `virtualTimeInterval`, a span of virtual time, in seconds.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

    /// Returns `timeInterval`, a number of seconds, as a span of virtual time.
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

    /// The point in virtual time that lies `offset` after `time`.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// Compares two points in virtual time, `lhs` and `rhs`.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The result of comparing two points in virtual time.
public enum VirtualTimeComparison {
    /// The first comes before the second.
    case lessThan

    /// Both are the same point.
    case equal

    /// The first comes after the second.
    case greaterThan
}

extension VirtualTimeComparison: Sendable {}
