/// One piece of work, with a version for each contender. A version delivers `count` elements to a tally and returns
/// their sum.
struct Row {
    typealias Work = (_ count: Int) -> Int
    typealias AsyncWork = (_ count: Int) async -> Int

    let name: String
    let count: Int
    let expected: Work
    let rxLinux: Work
    /// The OpenCombine version; nil if Combine has no such operator.
    let combine: Work?
    let async: AsyncWork?
    let closures: Work?
    /// The number of deliveries for each element.
    let deliveries: Int

    init(
        _ name: String, count: Int = 1_600, deliveries: Int = 1, expected: @escaping Work = sumBelow,
        rxLinux: @escaping Work, combine: Work? = nil, async: AsyncWork? = nil, closures: Work? = nil
    ) {
        self.name = name
        self.count = count
        self.deliveries = deliveries
        self.expected = expected
        self.rxLinux = rxLinux
        self.combine = combine
        self.async = async
        self.closures = closures
    }

    /// Returns, for each of the four columns, the nanoseconds per delivery in the fastest of three runs. The first run
    /// is slower, because the caches hold another row's data. A wrong sum ends the program.
    func measure() async -> [Double?] {
        [
            measure("RxLinux", rxLinux), measure("OpenCombine", combine), await measure(async),
            measure("closures", closures),
        ]
    }

    private func measure(_ contender: String, _ work: Work?) -> Double? {
        guard let work else { return nil }
        return (0..<3).map { _ in
            var sum = 0
            let time = ContinuousClock().measure { sum = work(count) }
            return judge(contender, time, sum)
        }.min()
    }

    private func measure(_ work: AsyncWork?) async -> Double? {
        guard let work else { return nil }
        var best = Double.infinity
        for _ in 0..<3 {
            var sum = 0
            let time = await ContinuousClock().measure { sum = await work(count) }
            best = min(best, judge("async sequences", time, sum))
        }
        return best
    }

    private func judge(_ contender: String, _ time: Duration, _ sum: Int) -> Double {
        guard sum == expected(count) else { stop("\(name), \(contender): the sum is \(sum), not \(expected(count))") }
        return time / .nanoseconds(count * deliveries)
    }
}

final class Tally: @unchecked Sendable {
    // Not atomic, to add little to the measured time. One thread at a time adds to it.
    @exclusivity(unchecked)
    var sum = 0

    func add(_ element: some Arrival) {
        sum &+= element.total
    }
}

protocol Arrival {
    var total: Int { get }
}

extension Int: Arrival {
    var total: Int { self }
}

extension [Int]: Arrival {
    var total: Int { reduce(0, &+) }
}

struct Failure: Error {}

func sumBelow(_ count: Int) -> Int {
    count * (count - 1) / 2
}
