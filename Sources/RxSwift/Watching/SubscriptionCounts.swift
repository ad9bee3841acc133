internal import CRxCore

/// What subscriptions count, all together.
@usableFromInline
enum SubscriptionCounts {
    static let subscriptions = StripedCount()
    static let events = StripedCount()
    static let errors = StripedCount()

    /// Counts a subscription that has had its one element, and has ended, without a chain.
    @usableFromInline
    static func addScalar() {
        subscriptions.add()
        events.add()
    }
}

/// The stage directly above the last one of a subscription that counts, or is listed.
final class WatchingStage<Element>: Stage<Element, Element> {
    /// Nil where it is listed, and nobody counts.
    private let events: StripedCount?
    private let record: SubscriptionRecord?

    init(_ down: Sink<Element>, _ record: SubscriptionRecord?) {
        self.record = record
        events = crx_watch_any(CRX_WATCH_COUNTERS) ? SubscriptionCounts.events : nil
        if events != nil { SubscriptionCounts.subscriptions.add() }
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: WatchingStage<Element>.self)
            if let events = me.events, me.isLive { events.add() }
            guard let record = me.record else { return me.deliver(element) }
            record.whileDelivering { me.deliver(element) }
        }
    }

    override func end(_ error: (any Error)?) {
        if events != nil && error != nil && isLive { SubscriptionCounts.errors.add() }
        super.end(error)
    }

    /// Nobody is to tell it from the last stage.
    override func handDisposalOver() -> SinkDisposer? { down._withUnsafeGuaranteedRef { $0.handDisposalOver() } }
}

extension Assembly {
    /// Puts a stage above the last sink of a subscription of the program's that watches it.
    mutating func watch(_ record: SubscriptionRecord?) {
        if record != nil || crx_watch_any(CRX_WATCH_COUNTERS) { top = takeTop().watched(record) }
    }
}

/// A count that many threads add to: each to one of several words, which are cache lines apart.
///
/// It lives as long as the process.
struct StripedCount: @unchecked Sendable {  // because its words are atomic
    private static let stripes = 16
    private static let line = 64 / MemoryLayout<crx_flag>.stride

    private let words: UnsafeMutablePointer<crx_flag>

    init() {
        words = .allocate(capacity: Self.stripes * Self.line)
        words.initialize(repeating: crx_flag(), count: Self.stripes * Self.line)
    }

    func add() {
        // The records of threads lie at the same place of their pages: the high bits of a product tell them apart.
        let stripe = Int(truncatingIfNeeded: (UInt64(crx_thread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
        crx_flag_fetch_add_acq_rel(words + stripe * Self.line, 1)
    }

    var value: Int {
        (0..<Self.stripes).reduce(0) { $0 &+ Int(bitPattern: crx_flag_load_acquire(words + $1 * Self.line)) }
    }
}
