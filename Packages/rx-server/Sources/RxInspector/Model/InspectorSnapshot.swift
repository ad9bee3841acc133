struct InspectorSnapshot: Sendable {
    /// The format's version. A page refuses a recording of another version.
    static let version = 1

    let input: InspectorInput
    /// The time since the previous snapshot; 0 for the first.
    let seconds: Double
    var groups: [InspectorModel.Group]
    /// How many members each group has gained.
    var growth: [Int: Int] = [:]
    var warnings: [InspectorWarning] = []
    private(set) var omitted = (groups: 0, chains: 0)
    let groupCount: Int
    private let before: InspectorInput?

    init(input: InspectorInput, seconds: Double, before: InspectorInput?, groups: [InspectorModel.Group]) {
        self.input = input
        self.seconds = seconds
        self.before = before
        self.groups = groups
        groupCount = groups.count
    }

    /// Keeps the most important groups, and the groups that they feed.
    mutating func shorten(to most: Int) {
        guard groups.count > most else { return }
        let warned = Set(warnings.compactMap(\.group))
        let ranked = groups.sorted { weight($0, warned) > weight($1, warned) }
        let parents = groups.reduce(into: [Int: Int]()) { parents, group in parents[group.id] = group.key.parent }
        var kept: Set<Int> = []
        for group in ranked {
            var (path, next): ([Int], Int?) = ([], group.id)
            while let id = next, !kept.contains(id) {
                path.append(id)
                next = parents[id]
            }
            if kept.count + path.count <= most { kept.formUnion(path) }
            if kept.count == most { break }
        }
        let left = groups.filter { !kept.contains($0.id) }
        omitted = (left.count, left.reduce(0) { $0 + $1.count })
        groups.removeAll { !kept.contains($0.id) }
    }

    private func weight(_ group: InspectorModel.Group, _ warned: Set<Int>) -> Double {
        let waiting = group.queues.reduce(0) { $0 + $1.depth }
        return (warned.contains(group.id) ? 1e12 : 0) + (group.isPausing ? 1e9 : 0) + group.rate + Double(waiting)
            + Double(group.count)
    }

    // MARK: JSON

    /// Returns the JSON. Links lead to pages below the URL `documentation`.
    func json(title: String, documentation: String?) -> JSONValue {
        let rates: (Int, Int) -> JSONValue = { now, before in
            .number(seconds > 0 ? Double(now - before) / seconds : 0)
        }
        let totals = JSONValue.compact([
            ("live", .int(input.chains.count)), ("groups", .int(groupCount)),
            ("omittedGroups", .int(omitted.groups)), ("omitted", .int(omitted.chains)),
            ("made", .int(input.subscriptions)), ("events", .int(input.events)),
            ("rate", rates(input.events, before?.events ?? 0)), ("errors", .int(input.errors)),
            ("errorRate", rates(input.errors, before?.errors ?? 0)), ("timers", .int(input.timers)),
            ("counting", .bool(input.isCounting)),
        ])
        return .compact([
            ("version", .int(Self.version)), ("title", .string(title)), ("time", .int(input.wall)),
            ("totals", totals), ("groups", .array(groups.map(json))),
            ("schedulers", .array(input.schedulers.map(json))), ("boundaries", .array(input.boundaries.map(json))),
            ("limits", .array(input.limits.map(json))), ("stalls", .array(input.stalls.map(json))),
            ("errors", .array(input.failures.map(json))),
            ("warnings", .array(warnings.map { json($0, documentation) })),
        ])
    }

    private func json(_ group: InspectorModel.Group) -> JSONValue {
        .compact([
            ("id", .int(group.id)), ("parent", group.key.parent.map { .int($0) }),
            ("inner", .bool(group.key.isInner)), ("operators", .strings(group.key.operators)),
            ("site", group.key.site.isEmpty ? nil : .strings(Array(group.key.site.prefix(12)))),
            ("places", group.places.isEmpty ? nil : .array(group.places.map { $0.map { .string($0) } ?? .null })),
            ("count", .int(group.count)), ("first", group.members.first.map { .int($0) }),
            ("oldest", .int(group.oldest / 1_000_000)), ("newest", .int(group.newest / 1_000_000)),
            ("growth", .int(growth[group.id] ?? 0)), ("events", group.events.map { .int($0) }),
            ("rate", group.events.map { _ in .number(group.rate) }), ("alive", .int(group.inner)),
            ("began", .int(group.innerMade)), ("beginRate", .number(group.innerRate)),
            ("failed", .int(group.innerFailed)), ("failureRate", .number(group.failureRate)),
            ("pausing", .bool(group.isPausing)),
            ("queues", group.queues.isEmpty ? nil : .array(group.queues.map(json))),
            ("causes", group.causes.isEmpty ? nil : .array(group.causes.sorted().map { .int($0) })),
        ])
    }

    private func json(_ queue: InspectorModel.Queue) -> JSONValue {
        .compact([
            ("boundary", queue.isOfScheduler ? nil : .string(queue.boundary)), ("scheduler", .string(queue.scheduler)),
            ("depth", .int(queue.depth)), ("deepest", .int(queue.deepest)),
            ("bound", queue.bound.map { .int($0) }), ("pausing", .int(queue.pausing)), ("full", .int(queue.full)),
        ])
    }

    private func json(_ scheduler: InspectorInput.Scheduler) -> JSONValue {
        .compact([
            ("name", .string(scheduler.name)), ("hops", .int(scheduler.hops)), ("depth", .int(scheduler.depth)),
            ("highWater", .int(scheduler.highWater)), ("latency", .number(Double(scheduler.latency) / 1e6)),
            ("longest", .number(Double(scheduler.longestLatency) / 1e6)),
        ])
    }

    private func json(_ boundary: InspectorInput.Boundary) -> JSONValue {
        let old = before?.boundaries.first { $0.name == boundary.name && $0.bound == boundary.bound }
        func rate(_ now: Int, _ before: Int?) -> JSONValue {
            .number(seconds > 0 ? Double(now - (before ?? 0)) / seconds : 0)
        }
        return .compact([
            ("name", .string(boundary.name)), ("bound", boundary.bound.map { .int($0) }),
            ("live", .int(boundary.live)), ("depth", .int(boundary.depth)), ("highWater", .int(boundary.highWater)),
            ("pauses", .int(boundary.pauses)), ("pauseRate", rate(boundary.pauses, old?.pauses)),
            ("drops", .int(boundary.drops)), ("dropRate", rate(boundary.drops, old?.drops)),
        ])
    }

    private func json(_ limit: InspectorInput.Limit) -> JSONValue {
        let fills = limit.fills.map { fill in
            JSONValue.compact([
                ("label", .string(fill.label)), ("value", .number(fill.value)),
                ("limit", fill.limit.map { .number($0) }), ("queue", .bool(fill.isQueue)),
            ])
        }
        return .compact([
            ("kind", .string(limit.kind)), ("name", .string(limit.name)),
            ("state", limit.state.map { .string($0) }), ("fills", .array(fills)),
        ])
    }

    private func json(_ stall: InspectorInput.Stall) -> JSONValue {
        .compact([
            ("ago", ago(stall.at)), ("scheduler", .string(stall.scheduler)),
            ("duration", .int(stall.duration / 1_000_000)), ("stack", .strings(Array(stall.callStack.prefix(24)))),
        ])
    }

    private func json(_ failure: InspectorInput.Failure) -> JSONValue {
        .compact([
            ("ago", ago(failure.at)), ("type", .string(failure.type)), ("text", failure.text.map { .string($0) }),
            ("count", .int(failure.count)), ("trail", .strings(failure.trail)),
            ("stack", .strings(Array(failure.callStack.prefix(24)))),
        ])
    }

    private func json(_ warning: InspectorWarning, _ documentation: String?) -> JSONValue {
        let page = warning.kind.page
        let link = documentation.map { base in
            "\(base)/documentation/\(page.module.lowercased())/\(page.name.lowercased())"
        }
        return .compact([
            ("kind", .string(warning.kind.rawValue)), ("subject", .string(warning.subject)),
            ("text", .string(warning.text)), ("advice", .string(warning.advice)),
            ("page", .string(page.title)), ("link", link.map { .string($0) }),
            ("group", warning.group.map { .int($0) }),
        ])
    }

    private func ago(_ time: Int) -> JSONValue { .int((input.now - time) / 1_000_000) }
}
