/// Detects a lack of progress: the counts stay the same for too long. Called by the ticker, a thread that never waits
/// for other threads.
struct StallCheck {
    private let limit: Double
    private var last = Totals()
    private var since = Clock.now()

    init(seconds limit: Double) {
        self.limit = limit
    }

    mutating func hasStalled(at totals: Totals) -> Bool {
        guard totals == last else {
            last = totals
            since = Clock.now()
            return false
        }
        return Clock.seconds(since: since) > limit
    }
}
