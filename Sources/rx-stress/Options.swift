import ArgumentParser

/// The command line and the help of `scripts/stress.sh`.
struct Options: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress.sh",
        abstract: "Exercises the library from many threads and checks its guarantees.",
        discussion:
            "Exit status: 0 if no guarantee was violated, 1 if one was, 2 for a bad option, 130 after an interrupt."
    )

    @Option(help: ArgumentHelp("Seconds to soak, all scenarios together.", valueName: "n"), transform: Options.decimal)
    var seconds: Double?

    @Option(help: ArgumentHelp("Minutes to soak, all scenarios together.", valueName: "n"), transform: Options.decimal)
    var minutes: Double?

    @Option(help: ArgumentHelp("Run this scenario only; repeat for several.", valueName: "name"))
    var scenario: [String] = []

    @Flag(help: "List the scenarios.")
    var list = false

    @Option(help: ArgumentHelp("Repeat the choices of an earlier soak.", valueName: "s"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("Maximum number of threads, 2 to 64; every other round uses fewer.", valueName: "n"))
    var threads = min(16, max(4, 2 * ProcessFacts.processorCount()))

    @Option(help: ArgumentHelp("Build and run under a sanitizer.", valueName: "thread|address"))
    var sanitize: Sanitizer?

    @Option(help: ArgumentHelp("Write soak.json and soak.html to this folder.", valueName: "folder"))
    var report: String?

    @Option(help: ArgumentHelp("Compare with the report in this folder.", valueName: "folder"))
    var compare: String?

    @Option(
        help: ArgumentHelp("Seconds without progress that count as a deadlock.", valueName: "n"),
        transform: Options.decimal)
    var stallLimit: Double?

    @Flag(help: "Show that each check catches its planted fault.")
    var selfTest = false

    mutating func validate() throws {
        if seconds != nil && minutes != nil { throw ValidationError("--seconds and --minutes exclude each other") }
        for (name, value) in [("--seconds", seconds), ("--minutes", minutes), ("--stall-limit", stallLimit)] {
            if let value, !(value > 0 && value <= 1e7) { throw ValidationError("\(name) needs a number above 0") }
        }
        for (name, folder) in [("--report", report), ("--compare", compare)] where folder?.isEmpty == true {
            throw ValidationError("\(name) needs a folder")
        }
        if !(2...64).contains(threads) { throw ValidationError("--threads needs a number from 2 to 64") }
        for name in scenario where Catalogue.scenario(named: name) == nil {
            throw ValidationError("there is no scenario '\(name)' (--list shows them)")
        }
        if let sanitize, !sanitize.isLoaded {
            throw ValidationError(
                "this build has no \(sanitize.rawValue) sanitizer; scripts/stress.sh makes a build that has it")
        }
    }

    /// Reads a decimal number. Rejects other forms that Swift accepts, such as `0x10` or `nan`.
    private static func decimal(_ text: String) throws -> Double {
        guard text.allSatisfy({ $0.isNumber || "+-.eE".contains($0) }), let number = Double(text) else {
            throw ValidationError("'\(text)' is not a number")
        }
        return number
    }

    static func parsedOrExit() -> Options {
        do {
            return try parse()
        } catch {
            let message = message(for: error)
            guard exitCode(for: error).isSuccess else {
                complain(message.split(separator: "\n").first.map(String.init) ?? "bad options")
                quit(2)
            }
            print(message)
            quit(0)
        }
    }

    func planOrExit() -> Soak.Plan {
        do {
            return try plan()
        } catch let error as ReportFolder.Unwritable {
            complain("the report cannot be written: \(error.reason)")
        } catch let error as EarlierReport.Unreadable {
            complain("there is nothing to compare with: \(error.reason)")
        } catch {
            complain("\(error)")
        }
        quit(2)
    }

    private func plan() throws -> Soak.Plan {
        try Soak.Plan(
            scenarios: scenario.isEmpty ? Catalogue.all : Catalogue.all.filter { scenario.contains($0.name) },
            seconds: seconds ?? minutes.map { $0 * 60 } ?? 30, seed: seed ?? UInt64.random(in: 0...0xFFFF_FFFF),
            threads: threads,
            stallSeconds: stallLimit ?? (sanitize == nil ? 30 : 120), sanitizer: sanitize,
            report: report.map { try ReportFolder($0) }, earlier: compare.map { try EarlierReport.read(from: $0) })
    }
}
