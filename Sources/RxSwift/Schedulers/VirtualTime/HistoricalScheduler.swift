#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A virtual time scheduler whose clock shows dates. Use it to replay recorded events as fast as possible.
///
/// - Order: by date, as in ``VirtualTimeScheduler``.
/// - Disposal: as in ``VirtualTimeScheduler``.
// @unchecked Sendable because all state belongs to the base class, which guards it; the converter has no state.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    /// Creates a scheduler whose clock shows `initialClock`, by default 1 January 1970.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}
