import Metrics

/// The metrics of a stream. Each has the dimension `stream`, and those of a group also `group`:
///
/// | | |
/// |---|---|
/// | `rx_streams_published_total`, `rx_streams_duplicates_total` | messages published, and those already stored |
/// | `rx_streams_publish_seconds` | the time to store a batch, with all its attempts |
/// | `rx_streams_delivered_total`, `rx_streams_redelivered_total` | all deliveries, and those after a message's first |
/// | `rx_streams_handled_total`, `rx_streams_retried_total`, `rx_streams_dead_total` | attempts, by outcome |
/// | `rx_streams_undecodable_total` | messages that could not be decoded, including in replays |
/// | `rx_streams_unsettled`, `rx_streams_lag` | a member's unsettled messages; its group's unsettled or waiting ones |
/// | `rx_streams_paused_seconds_total` | how long a member pulled nothing because its downstream was paused |
struct StreamMetrics: Sendable {
    private let dimensions: [(String, String)]
    private let publishedTotal: Counter
    private let duplicatesTotal: Counter
    private let publishSeconds: Timer
    let undecodable: Counter

    init(stream: String) {
        dimensions = [("stream", stream)]
        publishedTotal = Counter(label: "rx_streams_published_total", dimensions: dimensions)
        duplicatesTotal = Counter(label: "rx_streams_duplicates_total", dimensions: dimensions)
        publishSeconds = Timer(
            label: "rx_streams_publish_seconds", dimensions: dimensions, preferredDisplayUnit: .seconds)
        undecodable = Counter(label: "rx_streams_undecodable_total", dimensions: dimensions)
    }

    func published(_ count: Int, duplicates: Int, taking span: Duration) {
        publishedTotal.increment(by: count)
        if duplicates > 0 { duplicatesTotal.increment(by: duplicates) }
        publishSeconds.recordNanoseconds(Int64(span / .nanoseconds(1)))
    }

    func group(_ name: String) -> GroupMetrics {
        GroupMetrics(dimensions + [("group", name)])
    }
}

/// See ``StreamMetrics``.
struct GroupMetrics: Sendable {
    let delivered, redelivered, handled, retried, dead: Counter
    let unsettled, lag: Gauge
    let pausedSeconds: FloatingPointCounter

    init(_ dimensions: [(String, String)]) {
        delivered = Counter(label: "rx_streams_delivered_total", dimensions: dimensions)
        redelivered = Counter(label: "rx_streams_redelivered_total", dimensions: dimensions)
        handled = Counter(label: "rx_streams_handled_total", dimensions: dimensions)
        retried = Counter(label: "rx_streams_retried_total", dimensions: dimensions)
        dead = Counter(label: "rx_streams_dead_total", dimensions: dimensions)
        unsettled = Gauge(label: "rx_streams_unsettled", dimensions: dimensions)
        lag = Gauge(label: "rx_streams_lag", dimensions: dimensions)
        pausedSeconds = FloatingPointCounter(label: "rx_streams_paused_seconds_total", dimensions: dimensions)
    }
}
