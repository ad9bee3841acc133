import ArgumentParser
import Foundation
import RxStreams

/// Watches how far the group is.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes twice a second how far the work is, until all of it is done.",
        discussion: """
            A line has, with tabs between them: seconds since 1970, how many orders have been published, how many wait, \
            how many are unsettled, and how many are dead. It exits with 1 where the work is not done in time.
            """)

    @OptionGroup var broker: BrokerOption
    @Option(help: "How many orders are to be published and settled.") var count: Int
    @Option(help: "After how many seconds to give up.") var timeout = 3_600

    func validate() throws {
        try count.check("--count", atLeast: 1)
        try timeout.check("--timeout", atLeast: 1)
    }

    func run() async throws {
        let broker = try broker.open()
        let end = ContinuousClock.now + .seconds(timeout)
        var isDone = false
        while !isDone, ContinuousClock.now < end {
            if let state = try? await Progress(broker) {
                FileHandle.standardOutput.write(Data("\(Log.now)\t\(state.columns)\n".utf8))
                isDone = state.published >= count && state.group.lag == 0
            }
            if !isDone { try await Task.sleep(for: .milliseconds(500)) }
        }
        await broker.close()
        if !isDone { throw ExitCode(1) }
    }
}

/// How far the work is.
struct Progress: Sendable {
    let published: Int
    let group: GroupSummary
    let dead: Int

    init(_ broker: any Broker) async throws {
        published = Int(try await broker.orders.summary().last.number)
        group = try await broker.orders.summary(of: Names.group)
        dead = try await broker.deadOrders.summary().count
    }

    var columns: String {
        "\(published)\t\(group.waiting)\t\(group.unsettled)\t\(dead)"
    }
}
