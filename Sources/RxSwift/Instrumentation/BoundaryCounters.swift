public import CRxCore

/// The counters of one boundary of one subscription. When they are released, they add their values to the totals of
/// `Registry`.
@usableFromInline
final class BoundaryCounters: @unchecked Sendable {  // because its words are atomic
    private let counted: Counted
    /// The chain's entry in the list of ``Subscriptions``, and the boundary's bound. Nil if the chain is not listed.
    /// Also nil for a scheduler boundary, because ``SchedulerCounts`` lists it.
    private let shown: (record: SubscriptionRecord, bound: ListedBound)?

    /// Makes the counters of a boundary; nil while ``Counters/isCounting`` is off.
    @inlinable
    static func register(_ name: StaticString, bound: Int) -> BoundaryCounters? {
        crx_watch_any(CRX_WATCH_COUNTERS) ? BoundaryCounters("\(name)", bound) : nil
    }

    @usableFromInline
    init(_ name: String, _ bound: Int) {
        counted = Counted(.boundary(name: name, bound: bound))
        if crx_watch_any(CRX_WATCH_LISTING), name != SubscriptionRecord.schedulerBoundary,
            let record = SubscriptionRecord.connecting
        {
            let listed = ListedBound(bound)
            record.feeds(operator: name, counted, listed)
            shown = (record, listed)
        } else {
            shown = nil
        }
    }

    deinit {
        shown?.record.boundaryIsGone(counted)
        counted.retire()
    }

    @usableFromInline
    func entered(_ count: Int = 1) {
        counted.rise(by: count)
    }

    /// Records that `count` elements have been delivered or dropped.
    @usableFromInline
    func left(_ count: Int = 1) {
        counted.add(-count, to: .depth)
    }

    /// If the chain is listed, the lock or the gate of the queue serializes the calls of `paused()` and ``resumed()``.
    @usableFromInline
    func paused() {
        counted.add(1, to: .pauses)
        shown?.bound.isPausing = true
    }

    func resumed() {
        shown?.bound.isPausing = false
    }

    /// Counts dropped elements. If the elements had waited, the caller also calls ``left(_:)``.
    @usableFromInline
    func dropped(_ count: Int = 1) {
        counted.add(count, to: .drops)
    }
}

final class ListedBound: Sendable {
    /// The maximum number of waiting elements; nil if unlimited.
    let bound: Int?
    private let pausing = Locked(false)

    init(_ bound: Int) {
        self.bound = bound == .max ? nil : bound
    }

    var isPausing: Bool {
        get { pausing.withLock { $0 } }
        set { pausing.withLock { $0 = newValue } }
    }

    /// Lists a bound; nil unless `boundary` is a scheduler boundary of a listed chain.
    static func list(_ boundary: StaticString, _ bound: Int) -> ListedBound? {
        guard "\(boundary)" == SubscriptionRecord.schedulerBoundary, let record = SubscriptionRecord.connecting else {
            return nil
        }
        let listed = ListedBound(bound)
        record.bounds(listed)
        return listed
    }
}

extension Counters {
    /// All boundaries with the same name and bound. At a boundary, elements wait for another thread or another source.
    /// For `merge(maxConcurrent:)`, `concatMap` and `flatMapOrdered`, the waiting elements are inner sequences.
    public struct Boundary: Sendable, Equatable {
        /// The operator: `observe(on:)`, `delay`, `zip`, `values`, `flatMapOrdered` or `merge(maxConcurrent:)`.
        /// `concatMap` counts as `merge(maxConcurrent:)`.
        public let name: String
        /// The maximum number of waiting elements; `Int.max` if unlimited.
        public let bound: Int
        /// The number of live boundaries. A `zip` has one for each source.
        public let live: Int
        /// The number of waiting elements in all these boundaries.
        public let depth: Int
        /// The largest number of elements that waited in one boundary at once.
        public let highWater: Int
        /// The number of requests to pause a source.
        public let pauses: Int
        /// The number of elements that a full boundary has dropped or rejected.
        public let drops: Int
    }
}

extension Counters.Boundary {
    init(_ name: String, _ bound: Int, _ totals: Totals) {
        self.init(
            name: name, bound: bound, live: totals.live, depth: totals.depth, highWater: totals.highWater,
            pauses: totals.pauses, drops: totals.drops)
    }
}

/// The atomic counters of one place where elements wait. The ``Registry`` contains them from `init` to ``retire()``.
struct Counted: @unchecked Sendable {  // because the words are atomic
    enum Place: Hashable {
        case boundary(name: String, bound: Int)
        case scheduler(name: String)
    }

    enum Word: Int, CaseIterable {
        case depth, highWater, pauses, drops, latency, longestLatency
        /// The number, counted from 1, of the element whose latency is being measured; 0 if there is none.
        case sample
        case skipped
    }

    let place: Place
    let words: UnsafeMutablePointer<crx_flag>

    init(_ place: Place) {
        self.place = place
        words = .allocate(capacity: Word.allCases.count)
        words.initialize(repeating: crx_flag(), count: Word.allCases.count)
        Registry.shared.withLock { [words] in $0.live[words] = place }
    }

    /// Adds the counts to the totals and frees the words. Called once, by the `deinit` of the object that made the
    /// counters.
    func retire() {
        Registry.shared.withLock { registry in
            registry.live[words] = nil
            registry.retired[place, default: Totals()].add(Totals(words), isLive: false)
        }
        words.deallocate()
    }

    @discardableResult
    func add(_ difference: Int, to word: Word) -> Int {
        Int(bitPattern: crx_flag_fetch_add_acq_rel(words + word.rawValue, UInt(bitPattern: difference))) + difference
    }

    func rise(by count: Int) {
        raise(.highWater, to: add(count, to: .depth))
    }

    func raise(_ word: Word, to value: Int) {
        let place = words + word.rawValue
        var old = crx_flag_load_relaxed(place)
        while Int(bitPattern: old) < value {
            let seen = crx_flag_compare_and_swap_acq_rel(place, old, UInt(bitPattern: value))
            if seen == old { return }
            old = seen
        }
    }

    func value(_ word: Word) -> Int { Int(bitPattern: crx_flag_load_acquire(words + word.rawValue)) }

    func set(_ word: Word, to value: Int) {
        crx_flag_store_release(words + word.rawValue, UInt(bitPattern: value))
    }
}

/// All live counters, and the totals of those that have been freed.
struct Registry {
    static let shared = Locked(Registry())

    var live: [UnsafeMutablePointer<crx_flag>: Counted.Place] = [:]
    var retired: [Counted.Place: Totals] = [:]

    var totals: [Counted.Place: Totals] {
        live.reduce(into: retired) { totals, each in
            totals[each.value, default: Totals()].add(Totals(each.key), isLive: true)
        }
    }
}

struct Totals {
    var live = 0
    var depth = 0
    var highWater = 0
    var pauses = 0
    var drops = 0
    var latency = 0
    var longestLatency = 0

    init() {}

    init(_ words: UnsafeMutablePointer<crx_flag>) {
        func value(_ word: Counted.Word) -> Int { Int(bitPattern: crx_flag_load_relaxed(words + word.rawValue)) }
        depth = value(.depth)
        highWater = value(.highWater)
        pauses = value(.pauses)
        drops = value(.drops)
        latency = value(.latency)
        longestLatency = value(.longestLatency)
    }

    mutating func add(_ other: Totals, isLive: Bool) {
        if isLive {
            live += 1
            depth += max(0, other.depth)
            latency = max(latency, other.latency)
        }
        highWater = max(highWater, other.highWater)
        pauses += other.pauses
        drops += other.drops
        longestLatency = max(longestLatency, other.longestLatency)
    }
}
