#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a ``VirtualTimeScheduler`` counts: the units of its clock, and what they are in seconds.
public protocol VirtualTimeConverterType {
    /// A point in virtual time.
    associatedtype VirtualTimeUnit

    /// A span of virtual time.
    associatedtype VirtualTimeIntervalUnit

    /// The point in real time that a point in virtual time stands for.
    ///
    /// - Parameter virtualTime: the point in virtual time.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

    /// The point in virtual time that stands for a point in real time.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

    /// A span of virtual time in seconds.
    ///
    /// - Parameter virtualTimeInterval: the span.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

    /// A number of seconds as a span of virtual time.
    ///
    /// - Parameter timeInterval: the seconds.
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

    /// The point in virtual time that lies `offset` after `time`.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// Which of two points in virtual time comes first.
    ///
    /// - Parameters:
    ///   - lhs: one of them.
    ///   - rhs: the other.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// Where one point in virtual time lies, seen from another.
public enum VirtualTimeComparison {
    /// The first comes before the second.
    case lessThan

    /// Both are the same point.
    case equal

    /// The first comes after the second.
    case greaterThan
}

extension VirtualTimeComparison: Sendable {}
