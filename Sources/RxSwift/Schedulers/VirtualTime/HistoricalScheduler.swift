#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A virtual time scheduler whose clock shows dates. It replays recorded events as fast as possible.
///
/// It runs nothing by itself: `start()` and `advanceTo(_:)` run the due jobs on the caller's thread.
///
/// - Order: that of ``VirtualTimeScheduler``: by date, jobs of the same date first in, first out, one at a time.
/// - Disposal: a job disposed of before its turn never runs and is freed at once.
// @unchecked Sendable because all its state belongs to its base, which guards it; the converter has none.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    /// Creates a scheduler.
    ///
    /// - Parameter initialClock: the initial time of its clock; 1 January 1970 by default.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}
