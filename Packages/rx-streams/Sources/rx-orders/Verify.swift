import ArgumentParser
import Foundation
import RxStreams
import RxStreamsPostgreSQL
import RxSwift

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts the outcome of each order; exits with 1 if one is lost or was charged twice.")

    @OptionGroup var broker: BrokerOption
    @Option(help: "The folder of the ledgers.") var ledgers = "ledgers"
    @Option(help: "The number of published orders; their numbers start at 1.") var count: Int
    @Option(
        help: "The folder of a run, with watch.tsv, memory.tsv, marks.txt and checks.tsv; the page is written there.")
    var page: String?

    func validate() throws { try Order.check(count: count) }

    func run() async throws {
        if broker.isMissing { throw ValidationError("there is no '\(broker.broker)'") }
        let broker = try broker.open()
        let audit = try await Audit(broker, ledgers: ledgers, count: count)
        await broker.close()
        var lines = audit.lines
        var isWell = audit.isWell
        if let page {
            let run = try ChaosRun(folder: page)
            isWell = isWell && run.checks.allSatisfy(\.isWell)
            lines += run.checks.map(\.line)
            try ChaosPage(audit, run).html.write(toFile: "\(page)/index.html", atomically: true, encoding: .utf8)
        }
        lines.append(isWell ? "PASSED" : "FAILED")
        try Output.write(lines.map { $0 + "\n" }.joined())
        if !isWell { throw ExitCode(1) }
    }
}

struct Audit: Sendable {
    struct Figure: Sendable {
        let name: String
        let value: Int
        var wanted: Int?

        var isWell: Bool { wanted.map { $0 == value } ?? true }
    }

    let figures: [Figure]

    init(_ broker: any Broker, ledgers: String, count: Int) async throws {
        let stream = broker.orders
        let summary = try await stream.summary()
        let group = try await stream.summary(of: Names.group)
        var dead: Set<String> = []
        for try await letter in stream.deadLetters(in: Names.dead, live: false).values(buffering: .pausing(256)) {
            dead.insert(letter.id ?? "position \(letter.position)")
        }
        let entries = try Ledger.read(folder: ledgers)
        let handled = Set(entries.map(\.id))
        let charges = Dictionary(grouping: entries.filter { !$0.wasChargedBefore }, by: \.id)
        let known = handled.union(dead)
        let accounted = known.count { Order.number(of: $0).map { 1...count ~= $0 } ?? false }
        let audit = [
            Figure(name: "published", value: summary.count, wanted: count),
            Figure(name: "handled", value: handled.count),
            Figure(name: "dead", value: dead.count),
            Figure(name: "handled and dead", value: handled.intersection(dead).count),
            Figure(
                name: "published = handled + dead", value: accounted, wanted: count),
            Figure(name: "lost", value: count - accounted, wanted: 0),
            Figure(name: "never published", value: known.count - accounted, wanted: 0),
            Figure(name: "left to do", value: group.lag, wanted: 0),
            Figure(name: "handled more than once", value: entries.count - handled.count),
            Figure(name: "charges suppressed by id", value: entries.count { $0.wasChargedBefore }),
            Figure(name: "charged twice", value: charges.values.count { $0.count > 1 }, wanted: 0),
        ]
        let inDatabase = try await Self.inDatabase(broker, count: count, dead: dead)
        figures = audit + inDatabase
    }

    private static func inDatabase(_ broker: any Broker, count: Int, dead: Set<String>) async throws -> [Figure] {
        guard let broker = broker as? PostgreSQLBroker else { return [] }
        let counts = try await DatabaseCharges(broker).counts()
        // Workers that keep the order of each customer do not write charges to the database.
        if counts.isEmpty { return [] }
        let accounted = dead.union(counts.keys).count { Order.number(of: $0).map { 1...count ~= $0 } ?? false }
        return [
            Figure(name: "charged in the database", value: counts.count),
            Figure(name: "lost in the database", value: count - accounted, wanted: 0),
            Figure(
                name: "dead, and charged in the database", value: counts.keys.count { dead.contains($0) }, wanted: 0),
            Figure(name: "charged twice in the database", value: counts.values.count { $0 > 1 }, wanted: 0),
        ]
    }

    var isWell: Bool { figures.allSatisfy(\.isWell) }

    var lines: [String] {
        figures.map { figure in
            let wanted = figure.isWell ? "" : "   FAILED: expected \(figure.wanted ?? 0)"
            return
                "\(String(repeating: " ", count: max(0, 9 - "\(figure.value)".count)))\(figure.value)  \(figure.name)\(wanted)"
        }
    }
}
