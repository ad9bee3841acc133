#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// For compatibility: in RxSwift, these schedulers declare `TimeInterval` and `Time`.
extension SerialDispatchQueueScheduler {
    #if canImport(FoundationEssentials)
        /// Seconds, as in Foundation.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Seconds, as in Foundation.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// A point in time.
    public typealias Time = Date
}

extension ConcurrentDispatchQueueScheduler {
    #if canImport(FoundationEssentials)
        /// Seconds, as in Foundation.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Seconds, as in Foundation.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// A point in time.
    public typealias Time = Date
}

extension ConcurrentMainScheduler {
    #if canImport(FoundationEssentials)
        /// Seconds, as in Foundation.
        public typealias TimeInterval = FoundationEssentials.TimeInterval
    #else
        /// Seconds, as in Foundation.
        public typealias TimeInterval = Foundation.TimeInterval
    #endif
    /// A point in time.
    public typealias Time = Date
}
