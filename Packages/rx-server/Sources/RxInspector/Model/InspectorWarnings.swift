struct InspectorWarning: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case blockedScheduler, queueAtBound, growing, loop, retryStorm, flappingBreaker
    }

    let kind: Kind
    let subject: String
    let text: String
    var group: Int?
    var isInner = false

    var advice: String {
        kind == .growing && isInner
            ? "Limit them with `merge(maxConcurrent:)`, or use `flatMapLatest` if only the newest matters."
            : kind.advice
    }
}

extension InspectorWarning.Kind {
    fileprivate var advice: String {
        switch self {
        case .blockedScheduler:
            "Move the call that blocks to a scheduler of its own with `subscribe(on:)`, or make it asynchronous."
        case .queueAtBound:
            "Make the consumer below the queue faster, run several of them, or choose a policy that drops elements."
        case .growing:
            "Dispose of each subscription with its owner, for example by `disposed(by:)` or `take(until:)`."
        case .loop:
            "Add `distinctUntilChanged` to the circle, so that it settles."
        case .retryStorm:
            "Limit the attempts and wait longer between them, with `retrying` and a `RetryBudget`."
        case .flappingBreaker:
            "Keep the breaker open for longer and let it admit more trials, so that one lucky call does not close it."
        }
    }

    var page: (module: String, name: String, title: String) {
        switch self {
        case .blockedScheduler: ("RxSwift", "SchedulersOnLinux", "Schedulers on Linux")
        case .queueAtBound: ("RxSwift", "BoundedMemory", "Bounded memory")
        case .growing, .loop: ("RxSwift", "LookingIntoAProgram", "Looking into a program")
        case .retryStorm: ("RxResilience", "Retrying", "Retrying")
        case .flappingBreaker: ("RxResilience", "CircuitBreakers", "Circuit breakers")
        }
    }
}

extension InspectorModel {
    private enum Threshold {
        static let second = 1_000_000_000
        /// How long a queue must be full before a warning.
        static let full = 3 * second
        /// How long elements must wait without a delivery before a warning.
        static let stuck = 3 * second
        /// How long a stall is shown.
        static let recent = 60 * second
        /// The minimum number of new members, over at least `growing`, for a warning about a growing group.
        static let grown = 5
        static let growing = 4 * second
        /// How recently the group must have gained a member.
        static let grew = 20 * second
        /// The minimum number of elements per second in a cycle of queues.
        static let loop = 1_000.0
        static let retries = 50.0
        /// The minimum number of a breaker's state changes in a minute.
        static let changes = 4
    }

    func warnings(_ groups: [Group], _ input: InspectorInput) -> [InspectorWarning] {
        return blocked(groups, input) + full(groups, input) + growing(groups) + loops(groups, input)
            + storms(groups, input) + flapping()
    }

    private func blocked(_ groups: [Group], _ input: InspectorInput) -> [InspectorWarning] {
        var blocked: [(name: String, text: String, group: Int?)] = []
        for stall in input.stalls.reversed() where stall.at > input.now - Threshold.recent {
            if blocked.contains(where: { $0.name == stall.scheduler }) { continue }
            let (duration, ago) = (stall.duration / 1_000_000, (input.now - stall.at) / Threshold.second)
            blocked.append((stall.scheduler, "A job has blocked it for \(duration) ms, \(ago) s ago.", nil))
        }
        for group in groups {
            guard let since = memories[group.id]?.stuckSince, input.now - since >= Threshold.stuck else { continue }
            for queue in group.queues where queue.isOfScheduler && queue.depth > 0 {
                if blocked.contains(where: { $0.name == queue.scheduler }) { continue }
                let span = (input.now - since) / Threshold.second
                blocked.append(
                    (
                        queue.scheduler,
                        "\(counted(queue.depth, "element")) wait, and none was delivered for \(span) s.",
                        group.id
                    ))
            }
        }
        return blocked.map { .init(kind: .blockedScheduler, subject: $0.name, text: $0.text, group: $0.group) }
    }

    private func full(_ groups: [Group], _ input: InspectorInput) -> [InspectorWarning] {
        var full: [InspectorWarning] = []
        for group in groups {
            guard let since = memories[group.id]?.fullSince, input.now - since >= Threshold.full else { continue }
            guard let queue = group.queues.first(where: { $0.pausing > 0 }), let bound = queue.bound else { continue }
            let place = "The queue for \(queue.scheduler) has been at its bound of \(bound)"
            let text = "\(place) for \((input.now - since) / Threshold.second) s. Its source pauses."
            full.append(.init(kind: .queueAtBound, subject: group.name, text: text, group: group.id))
        }
        for (name, since) in fullSince.sorted(by: { $0.key < $1.key }) where input.now - since >= Threshold.full {
            let span = (input.now - since) / Threshold.second
            full.append(.init(kind: .queueAtBound, subject: name, text: "It has been full for \(span) s."))
        }
        return full
    }

    private func growing(_ groups: [Group]) -> [InspectorWarning] {
        groups.compactMap { group in
            guard let counts = memories[group.id]?.counts, let first = counts.first, let last = counts.last,
                last.time - first.time >= Threshold.growing, last.count - first.count >= Threshold.grown,
                // Growth in only one or two steps, as at the program's start, is not a fault.
                Set(counts.map(\.count)).count >= 4,
                let lately = counts.first(where: { $0.time >= last.time - Threshold.grew }), lately.count < last.count
            else { return nil }
            let (grown, span) = (last.count - first.count, (last.time - first.time) / Threshold.second)
            let number = "\(group.count) equal \(group.key.isInner ? "inner sequences" : "subscriptions")"
            return .init(
                kind: .growing, subject: group.name,
                text: "\(number), \(grown) more in \(span) s, and none has ended.", group: group.id,
                isInner: group.key.isInner)
        }
    }

    private func loops(_ groups: [Group], _ input: InspectorInput) -> [InspectorWarning] {
        let causes = Dictionary(uniqueKeysWithValues: groups.map { ($0.id, $0.causes) })
        var loops: [InspectorWarning] = groups.compactMap { group in
            guard group.rate >= Threshold.loop, isInCircle(group.id, causes) else { return nil }
            return .init(
                kind: .loop, subject: group.name,
                text: "It receives the elements that it has sent: \(Int(group.rate)) per second.", group: group.id)
        }
        for runaway in input.runaways where runaway.fault == .loop && runaway.at > input.now - Threshold.recent {
            loops.append(.init(kind: .loop, subject: runaway.subject, text: runaway.text))
        }
        return loops
    }

    /// Whether a group's elements cause further elements of the same group.
    private func isInCircle(_ id: Int, _ causes: [Int: Set<Int>]) -> Bool {
        var rest = Array(causes[id] ?? [])
        var seen: Set<Int> = []
        while let next = rest.popLast() {
            if next == id { return true }
            if seen.insert(next).inserted { rest += causes[next] ?? [] }
        }
        return false
    }

    private func storms(_ groups: [Group], _ input: InspectorInput) -> [InspectorWarning] {
        var storms: [InspectorWarning] = groups.compactMap { group in
            guard group.innerRate >= Threshold.retries, group.key.operators.first?.hasPrefix("retry") == true else {
                return nil
            }
            return .init(
                kind: .retryStorm, subject: group.name, text: "It retries \(Int(group.innerRate)) times per second.",
                group: group.id)
        }
        for (name, rate) in retryRates.sorted(by: { $0.key < $1.key }) where rate >= Threshold.retries {
            storms.append(.init(kind: .retryStorm, subject: name, text: "\(Int(rate)) retries per second."))
        }
        for runaway in input.runaways where runaway.fault == .retry && runaway.at > input.now - Threshold.recent {
            storms.append(.init(kind: .retryStorm, subject: runaway.subject, text: runaway.text))
        }
        return storms
    }

    private func flapping() -> [InspectorWarning] {
        changes.sorted { $0.key < $1.key }.compactMap { name, counts in
            guard let first = counts.first, let last = counts.last, last.count - first.count >= Threshold.changes else {
                return nil
            }
            let span = max(1, (last.time - first.time) / Threshold.second)
            return .init(
                kind: .flappingBreaker, subject: name,
                text: "It has changed its state \(last.count - first.count) times in \(span) s.")
        }
    }
}

func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
