internal import CRxCore

/// What is known of one chain that is alive, while chains are listed: a subscription of the program's, or an inner one.
///
/// It knows nothing of a user's but types, and keeps none of the chain.
///
/// - `state`: under its lock; the list: under its own. Neither is held in a call-out, nor while the other is taken.
/// - `events`, `started`, `active`: atomic. `chain` is only compared.
@usableFromInline
final class SubscriptionRecord: @unchecked Sendable {  // because of the guards above
    private struct State {
        /// From the last sink up to the source.
        var names: [String] = []
        /// What the chain's source is called, where it is a coordinator: its inner chains say it.
        var coordinator: String?
        var hops: [(name: String, counted: Counted)] = []
        var cause: Int?
    }

    /// All records of chains that are alive.
    private struct List {
        var latest = 0
        var records: [Int: SubscriptionRecord] = [:]
        var byChain: [UnsafeMutablePointer<crx_chain>: SubscriptionRecord] = [:]
    }

    private static let list = Locked(List())

    let id: Int
    /// The chain that this one feeds; for what the program has subscribed while another chain was put together, that.
    let parent: Int?
    /// Whether it feeds another chain.
    let isInner: Bool
    private let began = TimerService.now
    private let site: CallSite
    private let callers: Callers
    private let chain: UnsafeMutablePointer<crx_chain>
    private let events = AtomicCount()
    private let started = AtomicCount()
    private let active = AtomicCount()
    private let state = Locked(State())
    /// The record of the chain that this one feeds.
    private let fed: SubscriptionRecord?

    private init(_ id: Int, _ chain: UnsafeMutablePointer<crx_chain>, isInner: Bool, feeding fed: SubscriptionRecord?) {
        let connecting = Self.isConnecting
        self.id = id
        self.chain = chain
        self.isInner = isInner
        self.fed = isInner ? fed ?? connecting : nil
        parent = (fed ?? connecting)?.id
        // Inner chains are many, and say by their names what they are.
        site = isInner ? .unknown : Hooks.recordedCallSite()
        callers = isInner ? Callers() : .capture()
    }

    // MARK: The list

    /// Lists the chain that is being put together, until it is disposed of or freed.
    static func list(_ assembly: borrowing Assembly) -> SubscriptionRecord {
        let feeds = assembly.top?.feeds
        let (id, fed) = list.withLock { list in
            list.latest += 1
            return (list.latest, feeds.flatMap { list.byChain[$0.chain] })
        }
        let isInner = assembly.top?.isOfProgram != true
        let record = SubscriptionRecord(id, assembly.disposer.chain, isInner: isInner, feeding: fed)
        // The first to come is the outer source, where there is one, and knows best.
        if let fed, let name = feeds?.name { fed.state.withLock { $0.coordinator = $0.coordinator ?? name } }
        record.fed?.started.add(1)
        record.fed?.active.add(1)
        list.withLock { list in
            list.records[id] = record
            list.byChain[record.chain] = record
        }
        assembly.adopt(Listed(record))
        return record
    }

    fileprivate func retire() {
        let isFirst = Self.list.withLock { list in
            if list.byChain[chain] === self { list.byChain[chain] = nil }
            return list.records.removeValue(forKey: id) != nil
        }
        if isFirst { fed?.active.add(-1) }
    }

    /// The chains that are alive, the oldest first.
    static var all: [SubscriptionRecord] { list.withLock { Array($0.records.values) }.sorted { $0.id < $1.id } }

    // MARK: What the calling thread does

    /// The record of the chain that the calling thread puts together, if it is listed.
    static var isConnecting: SubscriptionRecord? { crx_watch_is_connecting().map(at) }

    func connecting(_ body: () -> Void) {
        let outer = crx_watch_swap_connecting(Unmanaged.passUnretained(self).toOpaque())
        body()
        _ = crx_watch_swap_connecting(outer)
    }

    /// An element is delivered to the subscription.
    func delivering(_ body: () -> Void) {
        events.add(1)
        // What an observer subscribes to is no part of what the thread puts together.
        let connecting = crx_watch_swap_connecting(nil)
        let outer = crx_watch_swap_delivering(Unmanaged.passUnretained(self).toOpaque())
        body()
        _ = crx_watch_swap_delivering(outer)
        _ = crx_watch_swap_connecting(connecting)
    }

    /// An element enters a hop of the chain: the subscription that is being delivered to on this thread is why.
    func isEntered() {
        guard let cause = crx_watch_is_delivering().map(Self.at)?.id else { return }
        state.withLock { $0.cause = cause }
    }

    private static func at(_ record: UnsafeMutableRawPointer) -> SubscriptionRecord {
        Unmanaged<SubscriptionRecord>.fromOpaque(record).takeUnretainedValue()
    }

    // MARK: The chain

    /// An observable joins the chain, above those that have.
    func passes(_ observable: ObservableBase) {
        let names = observable.operatorNames
        // A hop that is watched is made anew, and joins in place of itself.
        state.withLock { if names != ["observe(on:)"] || $0.names.last != names[0] { $0.names += names.reversed() } }
    }

    func hops(to name: String, _ counted: Counted) {
        state.withLock { $0.hops.append((name, counted)) }
    }

    func hopIsGone(_ counted: Counted) {
        state.withLock { $0.hops.removeAll { $0.counted.words == counted.words } }
    }

    /// What is known at this moment.
    var snapshot: LiveSubscription {
        let (names, queues, cause) = state.withLock { state in
            (
                (state.coordinator.map { $0 == state.names.last ? [] : [$0] } ?? []) + state.names.reversed(),
                state.hops.map { LiveSubscription.Queue(scheduler: $0.name, depth: $0.counted.value(.depth)) },
                state.cause
            )
        }
        return LiveSubscription(
            id: id, parent: parent, isInner: isInner, operators: names,
            age: .nanoseconds(Int(TimerService.now - began)),
            events: isInner ? nil : events.value, queues: queues, innerSubscriptions: active.value,
            innerSubscriptionsMade: started.value, cause: cause, site: site, callers: callers)
    }
}

/// What takes a record off the list: a teardown of the chain, which the chain's disposal or its death lets go.
private final class Listed: Disposable {
    private let record: SubscriptionRecord

    init(_ record: SubscriptionRecord) {
        self.record = record
    }

    deinit {
        record.retire()
    }

    func dispose() {
        record.retire()
    }
}

/// Where a subscription was made, as addresses: cheap to find out in any build, and looked up by the tools of the system.
struct Callers: Sendable {
    private var addresses: [UInt] = []

    static func capture() -> Callers {
        var callers = Callers()
        callers.addresses = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 24) { buffer in
            buffer.initialize(repeating: nil)
            let count = Int(crx_watch_callers(buffer.baseAddress.unsafelyUnwrapped, 24))
            // The C function's own, this one's, and the record's two.
            return buffer.prefix(count).dropFirst(4).map { UInt(bitPattern: $0) }
        }
        return callers
    }

    /// As `addr2line` and `llvm-symbolizer` take them: `service+0x1f2c`, the innermost first.
    var places: [String] {
        addresses.compactMap { address in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else { return nil }
            var offset: UInt = 0
            guard let path = crx_watch_image(pointer, &offset) else { return nil }
            let file = String(cString: path).split(separator: "/").last ?? "?"
            return "\(file)+0x\(String(offset, radix: 16))"
        }
    }
}

/// What a program calls an operator, by the type that does its work.
enum OperatorName {
    /// Nil for what has no name of its own.
    static func of(_ type: Any.Type) -> String? {
        let text = "\(type)"
        let whole = text.prefix { $0 != "<" }
        if whole == "LinearProducer" || whole == "Share" {
            let inner = text.dropFirst(whole.count + 1).prefix { $0 != "<" && $0 != "," && $0 != ">" }
            return whole == "Share" ? "share" : lowercased(inner)
        }
        let name = known[String(whole)] ?? lowercased(stripped(whole))
        return name.isEmpty ? nil : name
    }

    /// A coordinator's; `port` tells what flattens from what merges.
    static func of(_ coordinator: Any.Type, by port: Any.Type) -> String? {
        let name = of(coordinator)
        guard "\(port)".hasPrefix("OuterPort") else { return name }
        return flattening[name ?? ""] ?? name
    }

    private static let known = [
        "Observable": "", "HopEntry": "", "ContextSource": "", "RefCountedSource": "", "CatchSequence": "retry",
        "CatchSequenceCoordinator": "retry", "RowCoordinator": "combineLatest", "SwitchCoordinator": "switchLatest",
        "FirstCoordinator": "merge", "LimitedMergeCoordinator": "merge(maxConcurrent:)", "OneOffTimer": "timer",
        "PeriodicTimer": "timer", "CountedConnectable": "refCount", "SubscribeOn": "subscribe(on:)",
        "ObserveOn": "observe(on:)", "Concatenation": "concat", "Scalar": "just",
    ]

    private static let flattening = [
        "merge": "flatMap", "switchLatest": "flatMapLatest", "merge(maxConcurrent:)": "concatMap",
    ]

    private static func stripped(_ name: Substring) -> Substring {
        for suffix in ["Producer", "Coordinator"] where name.hasSuffix(suffix) { return name.dropLast(suffix.count) }
        return name
    }

    /// Operators begin in lower case; subjects and types of a user's keep theirs.
    private static func lowercased(_ name: Substring) -> String {
        name.hasSuffix("Subject") ? String(name) : name.prefix(1).lowercased() + name.dropFirst()
    }
}
