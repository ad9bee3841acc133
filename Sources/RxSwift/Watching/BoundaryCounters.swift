public import CRxCore

/// What one boundary of one subscription counts: a place where elements wait, with a bound.
///
/// A boundary asks for it when it is subscribed, and gets none while nobody counts: then it tests a nil where it waits,
/// pauses or drops, and nothing for an element that passes. It is counted out when the boundary lets go of it.
///
/// All functions may be called by any thread; the words are atomic, and none of them guards another.
@usableFromInline
final class BoundaryCounters: @unchecked Sendable {  // because its words are atomic
    private let counted: Counted

    /// For a boundary that is being subscribed; nil while ``Counters/isCounting`` is off.
    ///
    /// - Parameters:
    ///   - name: what the boundary is called, such as `observe(on:)`. Boundaries of one name and bound are reported
    ///     together, so it names a kind and no single subscription.
    ///   - bound: how many elements may wait.
    @inlinable
    static func register(_ name: StaticString, bound: Int) -> BoundaryCounters? {
        crx_watch_any(CRX_WATCH_COUNTERS) ? BoundaryCounters("\(name)", bound) : nil
    }

    @usableFromInline
    init(_ name: String, _ bound: Int) {
        counted = Counted(.boundary(name: name, bound: bound))
    }

    deinit {
        counted.retire()
    }

    /// So many elements more wait.
    @usableFromInline
    func entered(_ count: Int = 1) {
        counted.rise(by: count)
    }

    /// So many elements wait no more: taken, or dropped.
    @usableFromInline
    func left(_ count: Int = 1) {
        counted.add(-count, to: .depth)
    }

    /// The source has been told to pause.
    @usableFromInline
    func paused() {
        counted.add(1, to: .pauses)
    }

    /// So many elements have been dropped, or refused. Those that waited have ``left(_:)``, too.
    @usableFromInline
    func dropped(_ count: Int = 1) {
        counted.add(count, to: .drops)
    }
}

/// The words of one place where something waits, known to the registry from its making to ``retire()``.
struct Counted: @unchecked Sendable {  // because the words are atomic
    enum Place: Hashable {
        case boundary(name: String, bound: Int)
        case scheduler(name: String)
    }

    enum Word: Int, CaseIterable {
        case depth, highWater, pauses, drops, latency, longestLatency
        /// The number of the element whose latency is being measured.
        case sample
        /// How many elements that waited for their turn have been dropped.
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

    /// What was counted stays in the totals, and what waited waits no more. Once, by whoever made it.
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

/// All that counts, and the totals of what has gone.
struct Registry {
    static let shared = Locked(Registry())

    var live: [UnsafeMutablePointer<crx_flag>: Counted.Place] = [:]
    var retired: [Counted.Place: Totals] = [:]

    /// What each place has come to: those that are alive, and those that have been.
    var totals: [Counted.Place: Totals] {
        live.reduce(into: retired) { totals, each in
            totals[each.value, default: Totals()].add(Totals(each.key), isLive: true)
        }
    }
}

/// What the words of one place, or of several, say.
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
