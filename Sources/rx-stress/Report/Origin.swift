import FoundationEssentials
import Glibc

/// The machine, versions and time of a soak. Two soaks are comparable only on the same machine.
struct Origin: Codable, Sendable, Equatable {
    let machine: String
    /// Set by `scripts/stress.sh`, because a program does not know its commit and compiler.
    let commit: String?
    let swift: String?
    let started: String

    static func here(_ environment: (String) -> String? = Origin.environment) -> Origin {
        Origin(
            machine: ProcessFacts.machine(), commit: environment("RX_STRESS_COMMIT"),
            swift: environment("RX_STRESS_SWIFT"),
            started: Date().formatted(.iso8601))
    }

    var words: String {
        "\(commit.map { "commit \($0)" } ?? "an unknown commit"), Swift \(swift ?? "of unknown version"), "
            + "\(started), \(machine)"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
