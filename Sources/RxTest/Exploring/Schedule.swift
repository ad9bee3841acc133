package import CRxCore

/// Runs a program on controlled threads. A `Strategy` decides which thread continues at each control point.
///
/// The name of a strategy that can be replayed is `random:SEED:SPREAD`, `pct:SEED:DEPTH:EXPECTED` or
/// `switches:STEP.THREAD,...`.
package struct Schedule {
    /// Guards: used only by the running exploration.
    nonisolated(unsafe) private static let current = crx_explore_schedule_make()

    package enum Strategy: Equatable {
        case random(seed: UInt64, spread: UInt32)
        case pct(seed: UInt64, depth: UInt32, expected: UInt32)
        case switches([crx_explore_switch])
        case marks([crx_explore_choice])

        package static func == (one: Self, other: Self) -> Bool { one.name == other.name }

        package var name: String {
            switch self {
            case .random(let seed, let spread): "random:\(seed):\(spread)"
            case .pct(let seed, let depth, let expected): "pct:\(seed):\(depth):\(expected)"
            case .switches(let list):
                "switches:" + list.map { "\($0.step).\($0.thread)" }.joined(separator: ",")
            case .marks(let list): "marks:" + list.map { String($0.taken) }.joined(separator: ",")
            }
        }

        /// Returns nil if the name is invalid or has too many switches.
        package init?(_ name: String) {
            let pieces = name.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = pieces.dropFirst().compactMap { UInt64($0) }
            switch (pieces[0], pieces.count, numbers.count) {
            case ("random", 3, 2):
                self = .random(seed: numbers[0], spread: max(1, UInt32(clamping: numbers[1])))
            case ("pct", 4, 3):
                self = .pct(
                    seed: numbers[0], depth: UInt32(clamping: numbers[1]),
                    expected: UInt32(clamping: numbers[2]))
            case ("switches", 2, _):
                let items = pieces[1].split(separator: ",")
                let switches = items.compactMap { item -> crx_explore_switch? in
                    let both = item.split(separator: ".").compactMap { UInt32($0) }
                    return both.count == 2 ? crx_explore_switch(step: both[0], thread: both[1]) : nil
                }
                guard switches.count == items.count, switches.count <= Int(CRX_EXPLORE_SWITCHES) else {
                    return nil
                }
                self = .switches(switches)
            default: return nil
            }
        }
    }

    package struct Report {
        package var steps: UInt32
        package var trace: UInt64
        package var isContended: Bool
        package var choicesBeforeContention: Int
        /// The reason why the run did not end.
        package var stuck: String?
        package var isWaiting: Bool
        package var switches: [crx_explore_switch]
        package var choices: [crx_explore_choice]
        package var forks: [crx_explore_step]
    }

    /// Runs `body` on controlled threads.
    ///
    /// - Parameters:
    ///   - patience: the milliseconds after which a thread that reaches no control point is reported; 0 for never.
    ///   - called: receives the public calls, if they are control points.
    package static func run(
        _ strategy: Strategy, threads: Int, wantsForks: Bool = false, patience: Int = 0,
        name: (Int) -> String = { "thread \($0)" }, called: ((Int, String) -> Void)? = nil,
        _ body: @escaping (Int) -> Void
    ) -> Report {
        let schedule = current
        schedule.pointee.patience = UInt32(patience)
        (schedule.pointee.switch_count, schedule.pointee.choice_count) = (0, 0)
        switch strategy {
        case .random(let seed, let spread):
            (schedule.pointee.kind, schedule.pointee.seed) = (CRX_EXPLORE_RANDOM, seed)
            schedule.pointee.spread = spread
        case .pct(let seed, let depth, let expected):
            (schedule.pointee.kind, schedule.pointee.seed) = (CRX_EXPLORE_PCT, seed)
            (schedule.pointee.depth, schedule.pointee.expected) = (depth, expected)
        case .switches(let list):
            schedule.pointee.kind = CRX_EXPLORE_LIST
            schedule.pointee.switch_count = UInt32(list.count)
            for (index, item) in list.enumerated() { schedule.pointee.switches[index] = item }
        case .marks(let list):
            schedule.pointee.kind = CRX_EXPLORE_MARKS
            schedule.pointee.choice_count = UInt32(list.count)
            for (index, item) in list.enumerated() { schedule.pointee.choices[index] = item }
        }
        let box = Unmanaged.passRetained(Box(body, called))
        schedule.pointee.call_context = box.toOpaque()
        if called == nil {
            schedule.pointee.called = nil
        } else {
            schedule.pointee.called = { context, thread, place in
                let box = Unmanaged<Box>.fromOpaque(context!).takeUnretainedValue()
                box.called?(Int(thread), String(cString: place))
            }
        }
        crx_explore_run(
            schedule, UInt32(threads),
            { context, thread in
                Unmanaged<Box>.fromOpaque(context!).takeUnretainedValue().body(Int(thread))
            }, box.toOpaque())
        let raw = schedule.pointee
        let stuck: String? =
            switch raw.outcome {
            case CRX_EXPLORE_ENDED: nil
            case CRX_EXPLORE_DEADLOCK: "deadlock" + places(threads, name)
            case CRX_EXPLORE_STUCK:
                "a thread has reached no control point for \(patience) ms: it loops, or waits for something that is "
                    + "not controlled" + places(threads, name)
            default: "no end after \(raw.steps) steps" + places(threads, name)
            }
        // The threads of an unfinished run still use the box.
        if stuck == nil { box.release() }
        func list<Item>(_ items: UnsafeMutablePointer<Item>, _ count: UInt32) -> [Item] {
            Array(UnsafeBufferPointer(start: items, count: Int(count)))
        }
        return Report(
            steps: raw.steps, trace: raw.trace, isContended: raw.is_contended,
            choicesBeforeContention: Int(raw.choices_before), stuck: stuck, isWaiting: raw.outcome == CRX_EXPLORE_STUCK,
            switches: list(raw.switches, raw.switch_count), choices: list(raw.choices, raw.choice_count),
            forks: wantsForks ? list(raw.forks, raw.fork_count) : [])
    }

    private final class Box {
        let body: (Int) -> Void
        let called: ((Int, String) -> Void)?

        init(_ body: @escaping (Int) -> Void, _ called: ((Int, String) -> Void)?) {
            self.body = body
            self.called = called
        }
    }

    /// Runs `body` on another controlled thread. Returns the thread's number. On an uncontrolled thread, returns nil
    /// and does not run `body`.
    @discardableResult
    package static func spawn(_ body: @escaping () -> Void) -> Int? {
        guard crx_explore_current() >= 0 else { return nil }
        let box = Unmanaged.passRetained(Box({ _ in body() }, nil))
        return Int(
            crx_explore_spawn(
                { context, _ in Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body(0) }, box.toOpaque()))
    }

    private static func places(_ threads: Int, _ name: (Int) -> String) -> String {
        (0..<Int(CRX_EXPLORE_THREADS)).map { thread in
            guard let place = crx_explore_place(UInt32(thread)) else {
                return thread < threads ? "; \(name(thread)) has ended" : ""
            }
            return "; \(name(thread)) in \(String(cString: place))"
        }.joined()
    }

    // MARK: Searching

    /// For an even `number`, returns a random walk with one of five densities of switches. For an odd `number`, returns
    /// PCT (few switches at random steps) with a depth of 2 to 5.
    package static func strategy(_ number: UInt64, seed: UInt64, steps: UInt32) -> Strategy {
        let seed = seed &+ number &* 0x1000
        return number % 2 == 0
            ? .random(seed: seed, spread: 2 << UInt32(number / 2 % 5))
            : .pct(seed: seed, depth: 2 + UInt32(number / 2 % 4), expected: steps)
    }

    /// Removes switches as long as the schedule still fails, larger groups first.
    package static func minimised(
        _ switches: [crx_explore_switch], while fails: ([crx_explore_switch]) throws -> Bool
    ) rethrows -> [crx_explore_switch] {
        var list = switches
        var size = max(1, list.count / 2)
        while size > 0 && !list.isEmpty {
            var start = 0
            while start < list.count {
                var fewer = list
                fewer.removeSubrange(start..<min(start + size, list.count))
                if try fails(fewer) { list = fewer } else { start += size }
            }
            size /= 2
        }
        return list
    }

    /// The next choices of a complete search; nil if the search has tried all choices.
    package static func next(after choices: [crx_explore_choice]) -> [crx_explore_choice]? {
        var choices = choices
        while let last = choices.last, last.taken + 1 >= last.options { choices.removeLast() }
        if choices.isEmpty { return nil }
        choices[choices.count - 1].taken += 1
        return choices
    }
}
