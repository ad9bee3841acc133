internal import CRxCore

@usableFromInline
enum SubscriptionCounts {
    static let subscriptions = StripedCount()
    static let events = StripedCount()
    static let errors = StripedCount()

    /// Counts a subscription to a source of one element. Such a subscription ends inside `subscribe` and has no chain.
    @usableFromInline
    static func addScalar() {
        subscriptions.add()
        events.add()
    }
}

/// The stage directly above the terminal observer. Counts elements and errors, and records deliveries for the list.
final class InstrumentedStage<Element>: Stage<Element, Element> {
    /// The count of elements; nil if the subscription is only listed.
    private let events: StripedCount?
    private let record: SubscriptionRecord?

    init(_ down: Sink<Element>, _ record: SubscriptionRecord?) {
        self.record = record
        events = crx_watch_any(CRX_WATCH_COUNTERS) ? SubscriptionCounts.events : nil
        if events != nil { SubscriptionCounts.subscriptions.add() }
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: InstrumentedStage<Element>.self)
            if let events = me.events, me.isLive { events.add() }
            guard let record = me.record else { return me.deliver(element) }
            record.whileDelivering { me.deliver(element) }
        }
    }

    override func end(_ error: (any Error)?) {
        if events != nil && error != nil && isLive { SubscriptionCounts.errors.add() }
        super.end(error)
    }

    override func handDisposalOver() -> ChainLifetime? { sinkBelow.handDisposalOver() }
}

/// The stage directly above the terminal observer of a listed inner chain. Counts a failure in the record of the chain
/// that the inner chain feeds.
final class InnerFailureStage<Element>: Stage<Element, Element> {
    private let fed: SubscriptionRecord

    init(_ down: Sink<Element>, _ fed: SubscriptionRecord) {
        self.fed = fed
        super.init(down: down) { base, element in
            unsafeDowncast(base, to: InnerFailureStage<Element>.self).deliver(element)
        }
    }

    override func end(_ error: (any Error)?) {
        if error != nil && isLive { fed.innerHasFailed() }
        super.end(error)
    }

    override func handDisposalOver() -> ChainLifetime? { sinkBelow.handDisposalOver() }
}

extension SubscribeContext {
    mutating func watch(_ record: SubscriptionRecord?) {
        if record != nil || crx_watch_any(CRX_WATCH_COUNTERS) { top = takeTop().instrumented(record) }
    }
}

/// A count that many threads increment. Each thread increments one of several words, which are on separate cache lines
/// and never freed.
struct StripedCount: @unchecked Sendable {  // because its words are atomic
    private static let stripes = 16
    private static let line = 64 / MemoryLayout<crx_flag>.stride

    private let words: UnsafeMutablePointer<crx_flag>

    init() {
        words = .allocate(capacity: Self.stripes * Self.line)
        words.initialize(repeating: crx_flag(), count: Self.stripes * Self.line)
    }

    func add() {
        // Thread identities are addresses with equal low bits, so the high bits of a product select the word.
        let stripe = Int(truncatingIfNeeded: (UInt64(crx_thread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
        crx_flag_fetch_add_acq_rel(words + stripe * Self.line, 1)
    }

    var value: Int {
        (0..<Self.stripes).reduce(0) { $0 &+ Int(bitPattern: crx_flag_load_acquire(words + $1 * Self.line)) }
    }
}
