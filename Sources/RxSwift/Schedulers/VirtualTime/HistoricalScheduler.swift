#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A virtual time scheduler whose clock shows dates: it replays what happened, as fast as it can.
///
/// It runs nothing by itself: `start()`, `advanceTo(_:)` run what is due, on the caller's thread.
///
/// - Order: that of ``VirtualTimeScheduler``: by their dates, those of one date first in, first out, one at a time.
/// - Disposal: what is disposed of before its turn never runs, and is freed at once.
// @unchecked Sendable because all its state is its base's, which guards it; the converter has none.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    /// Creates a scheduler.
    ///
    /// - Parameter initialClock: what its clock shows at first; 1 January 1970 unless said otherwise.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}
