import ArgumentParser
import Foundation
import StormModel

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "A service is slow for a moment. With plain retries it never recovers; with a retry budget it does.",
        discussion: """
            Runs on virtual time, with the same result each time. Prints a verdict. The exit status is 0 if the service \
            recovers with each protection and does not without one, 1 if not, 2 if an argument is wrong.
            """)

    @Option(help: "Requests that the service answers per second.") var capacity = Storm().capacity
    @Option(help: "Calls per second.") var load = Storm().load
    @Option(help: "How long the service is slow, in milliseconds.") var slow = Storm().slowFor
    @Option(help: "How long a client waits for an answer, in milliseconds.") var patience = Storm().patience
    @Option(help: "The maximum number of attempts of a call.") var attempts = Storm().attempts
    @Option(help: "The share of calls that may be retried under the budget.") var ratio = 0.1
    @Option(help: "How long clients make calls, in seconds.") var seconds = Storm().duration / 1_000
    @Option(help: "A folder for the plot: storm.svg, and storm~dark.svg for a dark background.") var plot: String?

    func validate() throws {
        for (name, value, bounds) in [
            ("capacity", capacity, 1...100_000), ("load", load, 1...100_000), ("slow", slow, 0...60_000),
            ("patience", patience, 1...60_000), ("attempts", attempts, 1...100), ("seconds", seconds, 3...600),
        ] where !bounds.contains(value) {
            throw ValidationError("--\(name) must be from \(bounds.lowerBound) to \(bounds.upperBound), not \(value)")
        }
        guard (0...1).contains(ratio) else { throw ValidationError("--ratio must be from 0 to 1, not \(ratio)") }
        guard load * seconds <= 1_000_000 else {
            throw ValidationError("--load times --seconds must be at most 1000000 calls, not \(load * seconds)")
        }
        var isFolder: ObjCBool = false
        if let plot, !FileManager.default.fileExists(atPath: plot, isDirectory: &isFolder) || !isFolder.boolValue {
            throw ValidationError("--plot must be a folder, not '\(plot)'")
        }
    }

    func run() throws {
        var storm = Storm()
        (storm.capacity, storm.load, storm.slowFor, storm.patience) = (capacity, load, slow, patience)
        (storm.attempts, storm.duration) = (attempts, seconds * 1_000)
        let courses = Strategy.all(ratio: ratio).map(storm.run)
        print("\(load) calls a second to a service that answers \(capacity) a second and is slow for \(slow) ms")
        for course in courses { print("  \(course.verdict(on: storm))") }
        if let plot {
            for (name, theme) in Plot.files {
                try Data(Plot(storm, courses).svg(theme).utf8).write(to: URL(filePath: plot).appending(path: name))
            }
        }
        let isShown = courses[0].recovered == nil && courses.dropFirst().allSatisfy { $0.recovered != nil }
        print(isShown ? "verdict: only the protected come back" : "verdict: FAILED: the difference is not shown")
        if !isShown { throw ExitCode(1) }
    }

    static func main() {
        do {
            let command = try parse()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data("\(fullMessage(for: error))\n".utf8))
            exit(withError: ExitCode(2))
        }
    }
}
