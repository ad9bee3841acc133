/// Progress: a count that stays the same for too long is a deadlock, or as good as one. Asked by the ticker, which
/// never waits itself.
struct StallCheck {
    private let limit: Double
    private var last = Totals()
    private var since = Clock.now()

    init(seconds limit: Double) {
        self.limit = limit
    }

    /// True when the stall is so long that the soak must end.
    mutating func hasStalled(at totals: Totals) -> Bool {
        guard totals == last else {
            last = totals
            since = Clock.now()
            return false
        }
        return Clock.seconds(since: since) > limit
    }
}
