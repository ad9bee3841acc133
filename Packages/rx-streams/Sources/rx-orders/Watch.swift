import ArgumentParser
import RxStreams

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the progress twice a second until all work is done.",
        discussion: """
            Each line has, separated by tabs: seconds since 1970, how many orders have been published, how many wait, \
            how many are unsettled, and how many are dead. It exits with 1 if the work is not done in time.
            """)

    @OptionGroup var broker: BrokerOption
    @Option(help: "The number of orders to be published and settled.") var count: Int
    @Option(help: "The seconds after which it gives up.") var timeout = 3_600

    func validate() throws {
        try Order.check(count: count)
        if !(1...31_536_000 ~= timeout) {
            throw ValidationError("--timeout needs 1 to 31536000 seconds, not \(timeout)")
        }
    }

    func run() async throws {
        let broker = try broker.open()
        let end = ContinuousClock.now + .seconds(timeout)
        var isDone = false
        var trouble: BrokerError?
        while !isDone, ContinuousClock.now < end {
            do {
                let state = try await Progress(broker)
                trouble = nil
                try Output.write("\(Log.now)\t\(state.columns)\n")
                isDone = state.published >= count && state.group.lag == 0
            } catch let error as BrokerError where error.passes {
                trouble = error
            }
            if !isDone { try await Task.sleep(for: .milliseconds(500)) }
        }
        await broker.close()
        if !isDone {
            throw Failure("the work is not done after \(timeout) s\(trouble.map { ": \($0)" } ?? "")")
        }
    }
}

extension BrokerError {
    /// Whether the error shows that the broker is unavailable or that the work has not begun.
    fileprivate var passes: Bool {
        switch self {
        case .unavailable, .missing: true
        default: false
        }
    }
}

struct Progress: Sendable {
    let published: Int
    let group: GroupSummary
    let dead: Int

    init(_ broker: any Broker) async throws {
        published = Int(clamping: try await broker.orders.summary().last.number)
        group = try await broker.orders.summary(of: Names.group)
        dead = try await broker.deadOrders.summary().count
    }

    var columns: String {
        "\(published)\t\(group.waiting)\t\(group.unsettled)\t\(dead)"
    }
}
