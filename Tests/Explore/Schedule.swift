import CRxCore

/// The schedule of a run: its strategy before the run, its switches after it.
///
/// Its name is `random:SEED:SPREAD`, `pct:SEED:DEPTH:EXPECTED` or `switches:STEP.THREAD,...`.
struct Schedule {
    /// The memory of the current run. One at a time.
    nonisolated(unsafe) static let current = crx_explore_schedule_make()

    enum Strategy: Equatable {
        case random(seed: UInt64, spread: UInt32)
        case pct(seed: UInt64, depth: UInt32, expected: UInt32)
        case switches([crx_explore_switch])
        case marks([crx_explore_choice])

        static func == (one: Self, other: Self) -> Bool { one.name == other.name }

        var name: String {
            switch self {
            case .random(let seed, let spread): "random:\(seed):\(spread)"
            case .pct(let seed, let depth, let expected): "pct:\(seed):\(depth):\(expected)"
            case .switches(let list):
                "switches:" + list.map { "\($0.step).\($0.thread)" }.joined(separator: ",")
            case .marks(let list): "marks:" + list.map { String($0.taken) }.joined(separator: ",")
            }
        }

        init?(_ name: String) {
            let pieces = name.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = pieces.dropFirst().map { UInt64($0) ?? 0 }
            switch (pieces.first, pieces.count) {
            case ("random", 3):
                self = .random(seed: numbers[0], spread: max(1, UInt32(clamping: numbers[1])))
            case ("pct", 4):
                self = .pct(
                    seed: numbers[0], depth: UInt32(clamping: numbers[1]),
                    expected: UInt32(clamping: numbers[2]))
            case ("switches", 2):
                self = .switches(
                    pieces[1].split(separator: ",").map { item in
                        let both = item.split(separator: ".").map { UInt32($0) ?? 0 }
                        return crx_explore_switch(step: both.first ?? 0, thread: both.last ?? 0)
                    })
            default: return nil
            }
        }
    }

    struct Report {
        var steps: UInt32
        var trace: UInt64
        var isContended: Bool
        var choicesBeforeContention: Int
        /// Why the run did not end; nil if it did.
        var stuck: String?
        /// The same run as a list of switches.
        var switches: [crx_explore_switch]
        var choices: [crx_explore_choice]
        var forks: [crx_explore_step]
    }

    /// Runs `body` on controlled threads.
    static func run(
        _ strategy: Strategy, threads: Int, wantsForks: Bool = false, _ body: @escaping (Int) -> Void
    )
        -> Report
    {
        let schedule = current
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
        let box = Unmanaged.passRetained(Box(body))
        crx_explore_run(
            schedule, UInt32(threads),
            { context, thread in
                Unmanaged<Box>.fromOpaque(context!).takeUnretainedValue().body(Int(thread))
            }, box.toOpaque())
        let raw = schedule.pointee
        let stuck: String? =
            switch raw.outcome {
            case CRX_EXPLORE_ENDED: nil
            case CRX_EXPLORE_DEADLOCK: "deadlock" + places(threads)
            default: "no end after \(raw.steps) steps" + places(threads)
            }
        // The threads of a run that did not end still use it.
        if stuck == nil { box.release() }
        func list<Item>(_ items: UnsafeMutablePointer<Item>, _ count: UInt32) -> [Item] {
            Array(UnsafeBufferPointer(start: items, count: Int(count)))
        }
        return Report(
            steps: raw.steps, trace: raw.trace, isContended: raw.is_contended,
            choicesBeforeContention: Int(raw.choices_before), stuck: stuck,
            switches: list(raw.switches, raw.switch_count), choices: list(raw.choices, raw.choice_count),
            forks: wantsForks ? list(raw.forks, raw.fork_count) : [])
    }

    private final class Box {
        let body: (Int) -> Void
        init(_ body: @escaping (Int) -> Void) { self.body = body }
    }

    private static func places(_ threads: Int) -> String {
        (0..<threads).map { thread in
            let place =
                crx_explore_place(UInt32(thread)).map { "in " + String(cString: $0) } ?? "has ended"
            return "; thread \(thread) \(place)"
        }.joined()
    }
}
