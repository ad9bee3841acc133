/// Checks that no event is lost or duplicated. If an observer received the events m and n of a producer, it must have
/// received each event between them exactly once.
///
/// Its state is plain memory, guarded by the serial delivery under test. If delivery is not serial, ThreadSanitizer
/// reports a race.
struct CountCheck: ~Copyable, @unchecked Sendable {  // because of that guard
    private struct Tally {
        var count = 0
        var sum = 0
        /// The sum of the numbers' hashes detects wrong numbers whose sum is right by chance.
        var mixed: UInt64 = 0
        var least = Int.max
        var most = Int.min
    }

    // Swift 6.3 cannot compile a buffer pointer here for ThreadSanitizer.
    private let tallies: UnsafeMutablePointer<Tally>
    private let producers: Int
    private let violations: Violations
    private let label: String

    init(producers: Int, _ label: String, _ violations: Violations) {
        tallies = .allocate(capacity: producers)
        tallies.initialize(repeating: Tally(), count: producers)
        self.producers = producers
        self.label = label
        self.violations = violations
    }

    deinit {
        tallies.deallocate()
    }

    func next(_ item: Item) {
        tallies[item.producer].count += 1
        tallies[item.producer].sum += item.number
        tallies[item.producer].mixed &+= Self.mixed(item.number)
        tallies[item.producer].least = min(tallies[item.producer].least, item.number)
        tallies[item.producer].most = max(tallies[item.producer].most, item.number)
    }

    var total: Int { (0..<producers).reduce(0) { $0 + tallies[$1].count } }

    /// Checks each producer's events between the first and the last received event. Call it when nothing runs any more.
    func finish() {
        for producer in 0..<producers where tallies[producer].count > 0 {
            let tally = tallies[producer]
            compare(producer, tally, with: tally.least..<(tally.most + 1))
        }
    }

    func expect(_ numbers: Range<Int>, of producer: Int) {
        compare(producer, tallies[producer], with: numbers)
    }

    private static func mixed(_ number: Int) -> UInt64 { SplitMix64.mix(UInt64(truncatingIfNeeded: number)) }

    private func compare(_ producer: Int, _ tally: Tally, with numbers: Range<Int>) {
        let sum = numbers.isEmpty ? 0 : (numbers.lowerBound + numbers.upperBound - 1) * numbers.count / 2
        if tally.count < numbers.count {
            let lost = "\(numbers.count - tally.count) of \(Format.plural(numbers.count, "event"))"
            violations.record(.count, "\(label): \(lost) of producer \(producer) lost")
        } else if tally.count > numbers.count {
            violations.record(
                .count,
                "\(label): \(Format.plural(tally.count - numbers.count, "event")) of producer \(producer) too many")
        } else if tally.sum != sum || tally.mixed != numbers.reduce(0, { $0 &+ Self.mixed($1) }) {
            violations.record(.count, "\(label): events of producer \(producer) lost, and as many duplicated")
        }
    }
}
