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
        var operators: [OperatorName] = []
        /// The chain's source, where it is a coordinator: its inner chains say it.
        var coordinator: OperatorName?
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
        let connecting = Self.connecting
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
        let (chain, feeds) = (assembly.disposer.chain, assembly.top?.feeds)
        // What goes on in a context with the rest of the same chain.
        if let listed = list.withLock({ $0.byChain[chain] }) { return listed }
        let (id, fed) = list.withLock { list in
            list.latest += 1
            return (list.latest, feeds.flatMap { list.byChain[$0.chain] })
        }
        let isInner = assembly.top?.isOfProgram != true
        let record = SubscriptionRecord(id, chain, isInner: isInner, feeding: fed)
        // The first to come is the outer source, where there is one, and knows best.
        if let fed, let feeds { fed.state.withLock { $0.coordinator = $0.coordinator ?? feeds.operator } }
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
    static var connecting: SubscriptionRecord? { crx_watch_connecting_record().map(at) }

    func whileConnecting(_ body: () -> Void) {
        let outer = crx_watch_swap_connecting(Unmanaged.passUnretained(self).toOpaque())
        body()
        _ = crx_watch_swap_connecting(outer)
    }

    /// An element is delivered to the subscription.
    func whileDelivering(_ body: () -> Void) {
        events.add(1)
        // What an observer subscribes to is no part of what the thread puts together.
        let connecting = crx_watch_swap_connecting(nil)
        let outer = crx_watch_swap_delivering(Unmanaged.passUnretained(self).toOpaque())
        body()
        _ = crx_watch_swap_delivering(outer)
        _ = crx_watch_swap_connecting(connecting)
    }

    /// An element enters a hop of the chain: the subscription that is being delivered to on this thread is why, if one
    /// is.
    func noteCause() {
        let cause = crx_watch_delivering_record().map(Self.at)?.id
        state.withLock { $0.cause = cause }
    }

    private static func at(_ record: UnsafeMutableRawPointer) -> SubscriptionRecord {
        Unmanaged<SubscriptionRecord>.fromOpaque(record).takeUnretainedValue()
    }

    // MARK: The chain

    /// An observable joins the chain, above those that have.
    func passes(_ observable: ObservableBase) {
        let operators = observable.operators
        state.withLock { $0.operators += operators.reversed() }
    }

    func hops(to name: String, _ counted: Counted) {
        state.withLock { $0.hops.append((name, counted)) }
    }

    func hopIsGone(_ counted: Counted) {
        state.withLock { $0.hops.removeAll { $0.counted.words == counted.words } }
    }

    /// The record of the program's own subscription that this inner chain feeds in the end, if it is known.
    var outermost: SubscriptionRecord? {
        var record = self
        while let fed = record.fed { record = fed }
        return record === self || record.isInner ? nil : record
    }

    /// How many inner chains have fed it by now.
    var innerMade: Int { started.value }

    /// How many inner chains feed it at present.
    var innerAlive: Int { active.value }

    /// How many elements have been delivered to it.
    var delivered: Int { events.value }

    /// The record of the subscription whose delivery sent it the latest element that entered a queue of its.
    var cause: Int? { state.withLock { $0.cause } }

    /// The operators by name, the source first. To look names up takes some microseconds each.
    private func names(_ operators: [OperatorName], _ coordinator: OperatorName?) -> [String] {
        var names: [String] = []
        for name in operators.compactMap(\.text) {
            // A hop that is watched is made anew, and joins in place of itself.
            if name != "observe(on:)" || names.last != name { names.append(name) }
        }
        if let name = coordinator?.text, name != names.last { names.append(name) }
        return names.reversed()
    }

    /// What is known at this moment.
    var snapshot: LiveSubscription {
        let (operators, coordinator, queues, cause) = state.withLock { state in
            (
                state.operators, state.coordinator,
                state.hops.map { LiveSubscription.Queue(scheduler: $0.name, depth: $0.counted.value(.depth)) },
                state.cause
            )
        }
        return LiveSubscription(
            id: id, parent: parent, isInner: isInner, operators: names(operators, coordinator),
            age: .nanoseconds(Int(TimerService.now - began)), events: isInner ? nil : delivered, queues: queues,
            innerSubscriptions: innerAlive, innerSubscriptionsMade: innerMade, cause: cause, site: site,
            callers: callers)
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

/// Where a subscription was made, as addresses: cheap to find out in any build, and looked up by the tools of the
/// system.
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

/// What a program calls an operator. It is looked up when somebody asks: until then it is types, which cost nothing.
@usableFromInline
enum OperatorName: Sendable {
    case known(StaticString)
    /// By the type that does its work; a port tells what flattens from what merges.
    case of(Any.Type, port: Any.Type?)
    /// By the type that merges what is made of elements.
    case flattening(Any.Type)

    /// Nil for what has no name of its own.
    var text: String? {
        switch self {
        case .known(let name): return "\(name)"
        case .of(let type, let port):
            let name = Self.text(of: type)
            guard let port, "\(port)".hasPrefix("OuterPort") else { return name }
            return Self.flattening[name ?? ""] ?? name
        case .flattening(let type):
            let name = Self.text(of: type)
            return Self.flattening[name ?? ""] ?? name
        }
    }

    private static func text(of type: Any.Type) -> String? {
        let text = "\(type)"
        let whole = text.prefix { $0 != "<" }
        if whole == "LinearProducer" {
            return word(for: text.dropFirst(whole.count + 1).prefix { $0 != "<" && $0 != "," && $0 != ">" })
        }
        return word(for: whole)
    }

    /// What a program calls what has this name here, a type's or a file's; nil for what it does not know.
    static func word(for name: Substring) -> String? {
        let bare = stripped(name)
        let word = known[String(name)] ?? known[String(bare)] ?? lowercased(bare)
        return word.isEmpty ? nil : word
    }

    private static let known = [
        "Observable": "", "HopEntry": "", "ContextSource": "", "RefCountedSource": "", "CatchSequence": "retry",
        "Row": "combineLatest", "Switch": "switchLatest", "FirstCoordinator": "flatMapFirst",
        "LimitedMerge": "merge(maxConcurrent:)", "OneOffTimer": "timer", "PeriodicTimer": "timer",
        "CountedConnectable": "refCount", "ConnectableObservable": "multicast",
        "ConnectableObservableAdapter": "multicast", "SubscribeOn": "subscribe(on:)", "ObserveOn": "observe(on:)",
        "Concatenation": "concat", "ConcatPair": "concat", "Scalar": "just", "AtOnce": "never", "Failure": "error",
        "BoundedZip": "zip", "DelaySink": "delay", "ElementsJob": "observe(on:)", "GroupedObservable": "groupBy",
        "CheckpointStage": "checkpoint", "DistinctUntilKeyChanged": "distinctUntilChanged", "ElementAt": "element(at:)",
        "IfEmptyDefault": "ifEmpty(default:)", "OnlyElement": "single", "RetryWhen": "retry(when:)",
        "ScanInto": "scan(into:)", "SkipFor": "skip", "SkipUntil": "skip(until:)", "SkipWhile": "skip(while:)",
        "SoleElement": "asSingle", "SwitchIfEmpty": "ifEmpty(switchTo:)", "TakeBehavior": "take(until:)",
        "TakeFor": "take(for:)", "TakeUntil": "take(until:)", "TakeUntilPredicate": "take(until:)",
        "TakeWhile": "take(while:)", "ConcatArray": "concat", "ConcatSequence": "concat",
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
