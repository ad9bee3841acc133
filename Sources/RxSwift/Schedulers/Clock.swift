#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// RxSwift declares both types within each scheduler that has a clock.
extension SerialDispatchQueueScheduler {
    #if canImport(FoundationEssentials)
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// Points in time of the scheduler's clock.
    public typealias Time = Date
}

extension ConcurrentDispatchQueueScheduler {
    #if canImport(FoundationEssentials)
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// Points in time of the scheduler's clock.
    public typealias Time = Date
}

extension ConcurrentMainScheduler {
    #if canImport(FoundationEssentials)
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Spans of time as Foundation has them, in seconds.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// Points in time of the scheduler's clock.
    public typealias Time = Date
}
