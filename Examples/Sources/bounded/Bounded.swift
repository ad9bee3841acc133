import Foundation

/// `bounded [FILE.svg]`: runs the same pipeline without a bound and with one, each in its own process, and measures the
/// memory. Plots both runs and prints whether the bound limited the memory.
@main
enum Bounded {
    static let bound = 256

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--run": try Pipeline.run(bound: arguments.last.flatMap { Int($0) }).print()
        case "-h", "--help": print("usage: bounded [FILE.svg]")
        default: try compare(writingTo: arguments.first ?? "bounded-memory.svg")
        }
    }

    private static func compare(writingTo file: String) throws {
        let unbounded = try Memory.ofChild(["--run", "unbounded"])
        let bounded = try Memory.ofChild(["--run", "\(bound)"])
        try Plot(unbounded: unbounded, bounded: bounded).svg.write(toFile: file, atomically: true, encoding: .utf8)

        print("unbounded:     \(unbounded.summary)")
        print("bounded(\(bound)):  \(bounded.summary)")
        let isFlat = bounded.growth * 8 < unbounded.growth
        let isWhole = bounded.delivered == Pipeline.rows && unbounded.delivered == Pipeline.rows
        let times = String(format: "%.0f", Double(unbounded.growth) / Double(max(1, bounded.growth)))
        print(
            isFlat && isWhole
                ? "passed: the bounded run took \(times) times less memory, and delivered the same; see \(file)"
                : "FAILED: \(isWhole ? "the bound took as much as 1/\(times)" : "not all rows were delivered")")
        if !(isFlat && isWhole) { exit(1) }
    }
}
