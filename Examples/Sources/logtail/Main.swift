import ArgumentParser
import ExampleSupport
import Foundation
import LogTailModel

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logtail",
        abstract: "Follows a log that is rotated while it grows, and counts its lines by second and status in SQLite.",
        discussion: """
            Another process writes the log. At the end the counts in the database are compared with the counts of that \
            process. Prints a verdict. The exit status is 0 if they are the same and the memory was bounded, 1 if not, \
            2 if an argument is wrong.
            """,
        subcommands: [Run.self, Write.self], defaultSubcommand: Run.self)

    static func main() async {
        await runToItsVerdict()
    }
}

enum Place {
    static func log(_ folder: String) -> String { folder + "/access.log" }
    static func database(_ folder: String) -> String { folder + "/counts.sqlite" }
    static func truth(_ folder: String) -> String { folder + "/written.tsv" }
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes a log, follows it, and prints the verdict.")

    @Option(help: "The number of lines to write.") var lines = 1_000_000
    @Option(help: "How often the log is rotated during that.") var rotations = 11
    @Option(help: "Lines written per second; 0 for no limit.") var rate = 0
    @Option(help: "The maximum number of elements that wait at each hop between two threads.") var bound = 1_024
    @Flag(help: "Run without a bound, for comparison.") var unbounded = false
    @Flag(help: "Follow the log once it is complete, as after an outage of the reader.") var behind = false
    @Option(help: "The seconds to wait for late lines, by the times in the log.") var lateness = 3
    @Option(help: "The MiB by which the memory may grow.") var memory = 32
    @Option(help: "A new folder in which to keep the log and the database.") var folder: String?

    func validate() throws {
        try check("lines", lines, 1...100_000_000)
        try check("rotations", rotations, 0...1_000)
        try check("rate", rate, 0...10_000_000)
        try check("bound", bound, 1...1_000_000)
        try check("lateness", lateness, 0...3_600)
        try check("memory", memory, 1...100_000)
        guard let folder, FileManager.default.fileExists(atPath: folder) else { return }
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == true else {
            throw ValidationError("--folder must be empty or new, and '\(folder)' is not")
        }
    }

    func run() throws {
        let place = folder ?? NSTemporaryDirectory() + "logtail-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { if folder == nil { try? FileManager.default.removeItem(atPath: place) } }

        let store = try Store(path: Place.database(place))
        let orders = ["--lines", "\(lines)", "--rotations", "\(rotations)", "--rate", "\(rate)"]
        let writer = try Writer(["write", place] + orders)
        if behind { try writer.wait() }
        let tail = Tail(log: Place.log(place), store: store, lateness: lateness, bound: unbounded ? nil : bound)
        let figures = try tail.run(until: writer.isOver)
        try writer.wait()
        let truth = try Truth(contentsOf: Place.truth(place))
        let counted = try store.counts()

        let size = String(format: "%.1f MB", Double(truth.bytes) / 1e6)
        let pace = grouped(Int(Double(truth.lines) / figures.seconds))
        let total = counted.values.reduce(0, +), seconds = Set(counted.keys.map(\.second)).count
        print("written: \(grouped(truth.lines)) lines, \(size), in \(rotations + 1) files")
        print("followed in \(String(format: "%.1f", figures.seconds)) s: \(pace) lines a second")
        print(
            "stored: \(grouped(total)) lines of \(grouped(seconds)) seconds, in \(grouped(counted.count)) rows, by "
                + "\(grouped(store.transactions)) transactions")
        let statuses = Dictionary(counted.map { ($0.key.status, $0.value) }, uniquingKeysWith: +)
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) { print("  \(status): \(grouped(count))") }
        print("memory: at most \(mebibytes(figures.growth)) more than at the start")

        let wrong = Set(truth.counts.keys).union(counted.keys).filter { truth.counts[$0] != counted[$0] }
        for key in wrong.sorted().prefix(5) {
            print("  \(key): \(truth.counts[key] ?? 0) written, \(counted[key] ?? 0) counted")
        }
        let isExact = wrong.isEmpty && total == lines
        let isBounded = figures.growth <= memory << 20
        guard isExact && isBounded else {
            let reasons = (isExact ? [] : ["\(wrong.count) counts are wrong"]) + (isBounded ? [] : ["memory grew"])
            print("verdict: FAILED: \(reasons.joined(separator: ", "))")
            throw ExitCode(1)
        }
        print("verdict: every line is counted once, over \(rotations) rotations, in bounded memory")
    }
}
