/// Checks that there is progress. If the counts do not change for too long, there is a deadlock or a similar fault. The
/// ticker, a thread that never waits for other threads, calls this check.
struct StallCheck {
    private let limit: Double
    private var last = Totals()
    private var since = Clock.now()

    init(seconds limit: Double) {
        self.limit = limit
    }

    /// Whether the stall is so long that the soak must end.
    mutating func hasStalled(at totals: Totals) -> Bool {
        guard totals == last else {
            last = totals
            since = Clock.now()
            return false
        }
        return Clock.seconds(since: since) > limit
    }
}
