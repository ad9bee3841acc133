import Glibc

/// Prints the cost of COUNT pending timers, as a row for scripts/timer-table.sh.
@main
enum RxTimers {
    /// The maximum of COUNT: more timers would take tens of gigabytes.
    private static let most = 100_000_000

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let count = arguments.last.flatMap({ Int($0) }), count > 0, count <= most else {
            return complain()
        }
        switch arguments.first {
        case "library": print(row(count, "RxLinux", SchedulerTimers()))
        case "dispatch": print(row(count, "DispatchSource", DispatchTimers()))
        default: complain()
        }
    }

    private static func complain() {
        var usage = "usage: rx-timers library|dispatch COUNT (at most 100000000)\n"
        usage.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(2)
    }

    private static func row(_ count: Int, _ name: String, _ timers: some Timers) -> String {
        let cost = Measurement(of: timers, count: count)
        let late = cost.lateness
        let moments = [late[late.count / 2], late[late.count * 99 / 100], late[late.count - 1]].map { $0 / 1_000 }
        return "| "
            + ([String(count), name] + ([cost.start, cost.reset, cost.cancel, cost.bytes] + moments).map(String.init))
            .joined(
                separator: " | ") + " |"
    }
}
