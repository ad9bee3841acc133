internal import CRxCore

/// The entry of one live chain in the list of ``Subscriptions``: a subscription that the program made, or an inner
/// chain. Stores no user objects except types, and retains no part of the chain.
///
/// Guards:
/// - `state` and the list: each protected by its own lock. No user code runs under these locks, and no thread holds
///   both.
/// - `events`, `started`, `active`, `failed`: atomic. `chain` is only compared, never dereferenced.
@usableFromInline
final class SubscriptionRecord: @unchecked Sendable {  // because of the guards above
    private struct State {
        /// The operators, from the terminal observer up to the source. `callers` are the callers of the operator's
        /// function.
        var operators: [(name: OperatorName, callers: Callers)] = []
        /// The source's operator, if it subscribes to inner chains. Set when the first inner chain is listed.
        var coordinator: OperatorName?
        /// `name` is the scheduler's name. If no scheduler empties the queue, `name` is the operator's name.
        var queues: [(name: String, boundary: String, counted: Counted, bound: ListedBound?)] = []
        var cause: Int?
    }

    private struct List {
        var latest = 0
        var records: [Int: SubscriptionRecord] = [:]
        var byChain: [UnsafeMutablePointer<crx_chain>: SubscriptionRecord] = [:]
    }

    private static let list = Locked(List())

    let id: Int
    /// See ``LiveSubscription/parent``.
    let parent: Int?
    let isInner: Bool
    private let began = TimerService.now
    private let site: CallSite
    private let callers: Callers
    private let chain: UnsafeMutablePointer<crx_chain>
    private let events = AtomicCount()
    private let started = AtomicCount()
    private let active = AtomicCount()
    private let failed = AtomicCount()
    private let state = Locked(State())
    /// The chain that this inner chain feeds.
    let fed: SubscriptionRecord?

    private init(_ id: Int, _ chain: UnsafeMutablePointer<crx_chain>, isInner: Bool, feeding fed: SubscriptionRecord?) {
        let connecting = Self.connecting
        self.id = id
        self.chain = chain
        self.isInner = isInner
        self.fed = isInner ? fed ?? connecting : nil
        parent = (fed ?? connecting)?.id
        // No call site is recorded for an inner chain, because its operators identify it.
        site = isInner ? .unknown : Hooks.recordedCallSite()
        callers = isInner ? Callers() : .capture(limit: 20, omitting: 2)
    }

    // MARK: The list

    static func list(_ context: borrowing SubscribeContext) -> SubscriptionRecord {
        let (chain, feeds) = (context.lifetime.chain, context.top?.feeds)
        // If this call subscribes to a part of a chain in a captured context, the chain is already listed.
        if let listed = list.withLock({ $0.byChain[chain] }) { return listed }
        let (id, fed) = list.withLock { list in
            list.latest += 1
            return (list.latest, feeds.flatMap { list.byChain[$0.chain] })
        }
        let isInner = context.top?.isOfProgram != true
        let record = SubscriptionRecord(id, chain, isInner: isInner, feeding: fed)
        // Only the first inner chain sets `coordinator`. In `flatMap`, that is the chain of the outer source, which
        // sets the most specific name.
        if let fed, let feeds { fed.state.withLock { $0.coordinator = $0.coordinator ?? feeds.operator } }
        record.fed?.started.add(1)
        record.fed?.active.add(1)
        list.withLock { list in
            list.records[id] = record
            list.byChain[record.chain] = record
        }
        context.adopt(Listed(record))
        return record
    }

    fileprivate func retire() {
        let isFirst = Self.list.withLock { list in
            if list.byChain[chain] === self { list.byChain[chain] = nil }
            return list.records.removeValue(forKey: id) != nil
        }
        if isFirst { fed?.active.add(-1) }
    }

    static var all: [SubscriptionRecord] { list.withLock { Array($0.records.values) }.sorted { $0.id < $1.id } }

    // MARK: The record of the calling thread

    /// The chain to which the calling thread is subscribing, if it is listed.
    static var connecting: SubscriptionRecord? { crx_watch_connecting_record().map(at) }

    func whileConnecting(_ body: () -> Void) {
        let outer = crx_watch_swap_connecting(Unretained(self).address)
        body()
        _ = crx_watch_swap_connecting(outer)
    }

    func whileDelivering(_ body: () -> Void) {
        events.add(1)
        // The observer's own subscriptions are not part of this chain.
        let connecting = crx_watch_swap_connecting(nil)
        let outer = crx_watch_swap_delivering(Unretained(self).address)
        body()
        _ = crx_watch_swap_delivering(outer)
        _ = crx_watch_swap_connecting(connecting)
    }

    /// Called when an element enters a scheduler boundary. The cause is the subscription to which this thread is
    /// delivering.
    func noteCause() {
        let cause = crx_watch_delivering_record().map(Self.at)?.id
        state.withLock { $0.cause = cause }
    }

    private static func at(_ record: UnsafeMutableRawPointer) -> SubscriptionRecord {
        Unretained(at: record).object
    }

    // MARK: The chain

    static let schedulerBoundary = "observe(on:)"

    func passes(_ observable: ObservableBase) {
        let name = observable.operatorName
        state.withLock { $0.operators.append((name, Callers())) }
    }

    /// Records the callers of the operator that ``passes(_:)`` added last.
    func joins(from callers: Callers) {
        state.withLock { state in
            guard let last = state.operators.indices.last, state.operators[last].callers.isEmpty else { return }
            state.operators[last].callers = callers
        }
    }

    func feeds(scheduler name: String, _ counted: Counted) {
        state.withLock { $0.queues.append((name, Self.schedulerBoundary, counted, nil)) }
    }

    func feeds(operator name: String, _ counted: Counted, _ bound: ListedBound) {
        state.withLock { $0.queues.append((name, name, counted, bound)) }
    }

    /// Records the bound of the scheduler boundary that joined last.
    func bounds(_ bound: ListedBound) {
        state.withLock { state in
            if let index = state.queues.lastIndex(where: { $0.boundary == Self.schedulerBoundary }) {
                state.queues[index].bound = bound
            }
        }
    }

    func boundaryIsGone(_ counted: Counted) {
        state.withLock { $0.queues.removeAll { $0.counted.words == counted.words } }
    }

    /// The program's own subscription that this inner chain feeds, directly or indirectly; nil if unknown.
    var outermost: SubscriptionRecord? {
        var record = self
        while let fed = record.fed { record = fed }
        return record === self || record.isInner ? nil : record
    }

    var innerMade: Int { started.value }

    var innerAlive: Int { active.value }

    var innerFailed: Int { failed.value }

    /// Counts a failed inner chain, before the operator handles the error.
    func innerHasFailed() {
        failed.add(1)
    }

    var delivered: Int { events.value }

    /// The subscription that ``noteCause()`` recorded last.
    var cause: Int? { state.withLock { $0.cause } }

    /// The operators' names, the source first.
    private func named(
        _ operators: [(name: OperatorName, callers: Callers)], _ coordinator: OperatorName?
    ) -> [(name: String, callers: Callers)] {
        var named: [(name: String, callers: Callers)] = []
        for (name, callers) in operators {
            guard let name = name.text else { continue }
            // `operators` contains both the scheduler boundary and its replacement.
            if name == Self.schedulerBoundary, let last = named.last, last.name == name {
                if last.callers.isEmpty { named[named.count - 1].callers = callers }
            } else {
                named.append((name, callers))
            }
        }
        if let name = coordinator?.text, name != named.last?.name {
            named.append((name, operators.last?.callers ?? Callers()))
        }
        return named.reversed()
    }

    var snapshot: LiveSubscription {
        let (operators, coordinator, queues, cause) = state.withLock { state in
            (
                state.operators, state.coordinator,
                state.queues.map { LiveSubscription.Queue($0.boundary, on: $0.name, $0.counted, $0.bound) },
                state.cause
            )
        }
        let named = named(operators, coordinator)
        return LiveSubscription(
            id: id, parent: parent, isInner: isInner, operators: named.map(\.name),
            operatorCallers: named.map(\.callers), age: .nanoseconds(Int(TimerService.now - began)),
            events: isInner ? nil : delivered, queues: queues, innerSubscriptions: innerAlive,
            innerSubscriptionsMade: innerMade, innerSubscriptionsFailed: innerFailed, cause: cause, site: site,
            callers: callers)
    }
}

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

/// The public name of an operator, looked up on request.
@usableFromInline
enum OperatorName: Sendable {
    case known(StaticString)
    /// The event handler distinguishes operators of the same type, such as `flatMap` and `merge`.
    case of(Any.Type, handler: Any.Type?)
    /// An operator such as `flatMap`. The type is that of its coordinator.
    case flattening(Any.Type)

    var text: String? {
        switch self {
        case .known(let name): return "\(name)"
        case .of(let type, let handler):
            let name = Self.text(of: type)
            guard let handler, "\(handler)".hasPrefix("OuterHandler") else { return name }
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

    static func word(for name: Substring) -> String? {
        let bare = stripped(name)
        let word = known[String(name)] ?? known[String(bare)] ?? lowercased(bare)
        return word.isEmpty ? nil : word
    }

    private static let known = [
        "Observable": "", "BoundaryEntry": "", "ContextSource": "", "RefCountedSource": "", "CatchSequence": "retry",
        "Row": "combineLatest", "Switch": "switchLatest", "FirstCoordinator": "flatMapFirst",
        "LimitedMerge": "merge(maxConcurrent:)", "OneOffTimer": "timer", "PeriodicTimer": "timer",
        "CountedConnectable": "refCount", "ConnectableObservable": "multicast",
        "ConnectableObservableAdapter": "multicast", "SubscribeOn": "subscribe(on:)", "ObserveOn": "observe(on:)",
        "Concatenation": "concat", "ConcatPair": "concat", "Scalar": "just", "AtOnce": "never", "Failure": "error",
        "BoundedZip": "zip", "DelaySink": "delay", "BatchJob": "observe(on:)", "GroupedObservable": "groupBy",
        "CheckpointStage": "checkpoint", "DistinctUntilKeyChanged": "distinctUntilChanged", "ElementAt": "element(at:)",
        "IfEmptyDefault": "ifEmpty(default:)", "OnlyElement": "single", "RetryWhen": "retry(when:)",
        "ScanInto": "scan(into:)", "SkipFor": "skip", "SkipUntil": "skip(until:)", "SkipWhile": "skip(while:)",
        "SoleElement": "asSingle", "SwitchIfEmpty": "ifEmpty(switchTo:)", "TakeBehavior": "take(until:)",
        "TakeFor": "take(for:)", "TakeUntil": "take(until:)", "TakeUntilPredicate": "take(until:)",
        "TakeWhile": "take(while:)", "ConcatArray": "concat", "ConcatSequence": "concat",
        "OrderedMerge": "flatMapOrdered",
    ]

    private static let flattening = [
        "merge": "flatMap", "switchLatest": "flatMapLatest", "merge(maxConcurrent:)": "concatMap",
    ]

    private static func stripped(_ name: Substring) -> Substring {
        for suffix in ["Producer", "Coordinator"] where name.hasSuffix(suffix) { return name.dropLast(suffix.count) }
        return name
    }

    private static func lowercased(_ name: Substring) -> String {
        name.hasSuffix("Subject") ? String(name) : name.prefix(1).lowercased() + name.dropFirst()
    }
}
