/// Converts successive inputs to snapshots. Stores the earlier data that rates, growth and warnings need. Times are in
/// nanoseconds.
struct InspectorModel: Sendable {
    /// Identifies a node in the graph: chains with equal keys are one node.
    struct Key: Hashable, Sendable {
        let parent: Int?
        let isInner: Bool
        let operators: [String]
        let site: [String]
    }

    struct Group: Sendable {
        let id: Int
        let key: Key
        /// The members, the oldest first.
        var members: [Int] = []
        /// The number of elements that the members have delivered together; nil for inner sequences.
        var events: Int?
        /// The elements per second.
        var rate = 0.0
        /// The inner sequences of all members: live, begun, and begun per second.
        var inner = 0
        var innerMade = 0
        var innerRate = 0.0
        /// The failed inner sequences of all members: their number, and failures per second.
        var innerFailed = 0
        var failureRate = 0.0
        /// The ages of the oldest and the newest member.
        var oldest = 0
        var newest = Int.max
        var queues: [Queue] = []
        var causes: Set<Int> = []
        var places: [String?] = []

        var count: Int { members.count }
        var isPausing: Bool { queues.contains { $0.pausing > 0 } }
        var name: String { key.operators.isEmpty ? "a subscription" : key.operators.joined(separator: " > ") }
    }

    /// The queues of a group's members with the same boundary and scheduler.
    struct Queue: Sendable, Equatable {
        var boundary = InspectorInput.Queue.hop
        var scheduler: String
        var depth = 0
        /// The largest number of elements that wait in one of these queues.
        var deepest = 0
        var bound: Int?
        /// The number of members whose source is paused.
        var pausing = 0
        /// The number of members with a full queue or a paused source.
        var full = 0

        var isOfScheduler: Bool { boundary == InspectorInput.Queue.hop }
    }

    struct Memory: Sendable {
        /// The number of members in each snapshot of the last minute; cleared when a member ends.
        var counts: [(time: Int, count: Int)] = []
        var members: Set<Int> = []
        /// When a paused source was first found at a queue of the group; nil if none is paused now.
        var fullSince: Int?
        /// When the group was first found stuck: elements wait and none is delivered. Nil if it is not stuck now.
        var stuckSince: Int?
    }

    fileprivate struct Before: Sendable {
        var events: Int?
        var innerMade: Int
        var innerFailed: Int
    }

    private var ids: [Key: Int] = [:]
    private var latestID = 0
    private var before: [Int: Before] = [:]
    private(set) var memories: [Int: Memory] = [:]
    private var previous: InspectorInput?
    /// For each queue that is full, the time when it was first found full. Queues of hops are omitted.
    private(set) var fullSince: [String: Int] = [:]
    /// For each breaker, its total number of state changes, as of each snapshot of the last minute.
    private(set) var changes: [String: [(time: Int, count: Int)]] = [:]
    private(set) var retryRates: [String: Double] = [:]

    static let mostGroups = 300
    /// How long the counts of members and changes are kept.
    static let span = 60_000_000_000

    init() {}

    /// Returns the next snapshot. Inputs must be in the order of their times.
    mutating func snapshot(of input: InspectorInput) -> InspectorSnapshot {
        let seconds = previous.map { Double(input.now - $0.now) / 1e9 } ?? 0
        let groups = grouped(input, seconds)
        remember(groups, input)
        var snapshot = InspectorSnapshot(input: input, seconds: seconds, before: previous, groups: groups)
        snapshot.growth = groups.reduce(into: [:]) { growth, group in growth[group.id] = self.growth(of: group.id) }
        snapshot.warnings = warnings(groups, input)
        snapshot.shorten(to: Self.mostGroups)
        previous = input
        return snapshot
    }

    // MARK: Groups

    private mutating func grouped(_ input: InspectorInput, _ seconds: Double) -> [Group] {
        var groups: [Int: Group] = [:]
        var order: [Int] = []
        var groupOf: [Int: Int] = [:]
        var next: [Int: Before] = [:]
        next.reserveCapacity(input.chains.count)
        // A chain comes after the chain that it feeds, so its parent's group is known.
        for chain in input.chains.sorted(by: { $0.id < $1.id }) {
            let key = Key(
                parent: chain.parent.flatMap { groupOf[$0] }, isInner: chain.isInner, operators: chain.operators,
                site: chain.site)
            let id = self.id(of: key)
            groupOf[chain.id] = id
            if groups[id] == nil { order.append(id) }
            groups[id, default: Group(id: id, key: key)].add(chain, before[chain.id], seconds)
            next[chain.id] = Before(
                events: chain.events, innerMade: chain.innerMade, innerFailed: chain.innerFailed)
        }
        for chain in input.chains {
            if let cause = chain.cause.flatMap({ groupOf[$0] }), let id = groupOf[chain.id] {
                groups[id]?.causes.insert(cause)
            }
        }
        before = next
        return order.compactMap { groups[$0] }
    }

    private mutating func id(of key: Key) -> Int {
        if let id = ids[key] { return id }
        latestID += 1
        ids[key] = latestID
        return latestID
    }

    private mutating func remember(_ groups: [Group], _ input: InspectorInput) {
        var next: [Int: Memory] = [:]
        for group in groups {
            var memory = memories[group.id] ?? Memory()
            let members = Set(group.members)
            if !memory.members.isSubset(of: members) {
                // A member has ended, so growth is measured from this time on.
                memory.counts = []
            }
            memory.members = members
            memory.counts.append((input.now, group.count))
            memory.counts.removeAll { $0.time < input.now - Self.span }
            // If no source is paused, a full queue drops elements by its policy. That is not a fault.
            memory.fullSince = group.isPausing ? memory.fullSince ?? input.now : nil
            // Only a scheduler's queue counts, because elements in an operator's queue may wait for another source.
            let isStuck =
                group.events != nil && group.rate == 0 && group.queues.contains { $0.isOfScheduler && $0.depth > 0 }
            memory.stuckSince = isStuck ? memory.stuckSince ?? input.now : nil
            next[group.id] = memory
        }
        memories = next
        ids = ids.filter { next[$0.value] != nil }
        rememberQueues(input)
        retryRates = input.retries.reduce(into: [:]) { rates, each in
            guard let previous, input.now > previous.now else { return }
            let more = each.value - (previous.retries[each.key] ?? 0)
            rates[each.key] = Double(more) * 1e9 / Double(input.now - previous.now)
        }
        for (name, count) in input.changes {
            changes[name, default: []].append((input.now, count))
            changes[name]?.removeAll { $0.time < input.now - Self.span }
        }
    }

    private mutating func rememberQueues(_ input: InspectorInput) {
        var full: [String: Int] = [:]
        for boundary in input.boundaries {
            if let bound = boundary.bound, boundary.live > 0, boundary.pauses > 0,
                boundary.name != InspectorInput.Queue.hop, boundary.depth >= bound * boundary.live
            {
                full["\(boundary.name), bound \(bound)"] = input.now
            }
        }
        for limit in input.limits {
            for fill in limit.fills where fill.isQueue {
                if let most = fill.limit, most > 0, fill.value >= most {
                    full["\(limit.kind) \(limit.name)"] = input.now
                }
            }
        }
        fullSince = full.reduce(into: [:]) { all, each in all[each.key] = fullSince[each.key] ?? each.value }
    }

    /// The number of members gained in the last minute, or since a member last ended.
    private func growth(of id: Int) -> Int {
        guard let counts = memories[id]?.counts, let first = counts.first, let last = counts.last else { return 0 }
        return last.count - first.count
    }
}

extension InspectorModel.Group {
    fileprivate mutating func add(
        _ chain: InspectorInput.Chain, _ before: InspectorModel.Before?, _ seconds: Double
    ) {
        members.append(chain.id)
        if places.isEmpty, chain.places.contains(where: { $0 != nil }) { places = chain.places }
        if let delivered = chain.events {
            events = (events ?? 0) + delivered
            // A chain that is new in this snapshot began at 0.
            if seconds > 0 { rate += Double(delivered - (before?.events ?? 0)) / seconds }
        }
        inner += chain.inner
        innerMade += chain.innerMade
        innerFailed += chain.innerFailed
        if seconds > 0 {
            innerRate += Double(chain.innerMade - (before?.innerMade ?? 0)) / seconds
            failureRate += Double(chain.innerFailed - (before?.innerFailed ?? 0)) / seconds
        }
        oldest = max(oldest, chain.age)
        newest = min(newest, chain.age)
        // Adds each queue to the group's queue with the same boundary and scheduler. If the chain has several such
        // queues, the first is added to the group's first one, and so on.
        var taken: Set<Int> = []
        for queue in chain.queues {
            let known = queues.indices.first { index in
                queues[index].boundary == queue.boundary && queues[index].scheduler == queue.scheduler
                    && !taken.contains(index)
            }
            let index = known ?? queues.count
            taken.insert(index)
            if index == queues.count {
                queues.append(.init(boundary: queue.boundary, scheduler: queue.scheduler, bound: queue.bound))
            }
            queues[index].depth += queue.depth
            queues[index].deepest = max(queues[index].deepest, queue.depth)
            if queue.isPausing { queues[index].pausing += 1 }
            if let bound = queue.bound, queue.depth >= bound || queue.isPausing { queues[index].full += 1 }
        }
    }
}
