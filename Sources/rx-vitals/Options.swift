import ArgumentParser

struct Options: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rx-vitals", abstract: "Streams this machine's vital signs.")

    @Option(help: ArgumentHelp("End after this number of seconds; without it, run until interrupted.", valueName: "n"))
    var seconds: Int?

    @Option(help: ArgumentHelp("The interval between readings, in milliseconds.", valueName: "ms"))
    var every = 1000

    @Flag(help: "Write one JSON object per line instead of a table; a slow reader misses some.")
    var json = false

    @Option(help: ArgumentHelp("Show this number of the busiest processes.", valueName: "k"))
    var top = 5

    func validate() throws {
        guard (10...3_600_000).contains(every) else {
            throw ValidationError("--every takes 10 to 3600000 milliseconds, not \(every)")
        }
        guard (0...10_000).contains(top) else { throw ValidationError("--top takes 0 to 10000, not \(top)") }
        guard let seconds else { return }
        guard (1...100_000_000).contains(seconds) else {
            throw ValidationError("--seconds takes 1 to 100000000, not \(seconds)")
        }
        guard seconds * 1000 >= every else {
            throw ValidationError("--seconds \(seconds) ends before the first --every \(every) has passed")
        }
    }

    var frames: Int? { seconds.map { $0 * 1000 / every } }
}

enum CommandLineResult {
    case run(Options)
    case help(String)
    case wrong(String)

    init(_ arguments: [String]) {
        do {
            self = .run(try Options.parse(arguments))
        } catch {
            let isHelp = Options.exitCode(for: error) == .success
            self =
                isHelp
                ? .help(Options.fullMessage(for: error))
                : .wrong(Options.message(for: error).replacing("\n", with: " "))
        }
    }
}
