import Glibc
import RxTest

/// Names the program and the schedule if a fault of the library ends the process.
///
/// Guard: the exploring thread writes, and the signal handler reads, while that thread waits or is the one that fails.
enum Crash {
    nonisolated(unsafe) private static let program = UnsafeMutablePointer<CChar>.allocate(capacity: 1024)
    nonisolated(unsafe) private static let schedule = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

    static func install() {
        (program[0], schedule[0]) = (0, 0)
        // Makes the texts before a handler needs them.
        _ = (head, middle, tail)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] {
            signal(number) { number in
                // Only async-signal-safe functions.
                for text in [
                    Crash.head, UnsafePointer(Crash.program), Crash.middle, UnsafePointer(Crash.schedule), Crash.tail,
                ] {
                    _ = write(1, text, strlen(text))
                }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    static func isExploring(_ program: Program) { copy(program.description, to: self.program, 1024) }

    static func isRunning(_ strategy: Schedule.Strategy) {
        if case .switches(let list) = strategy, list.count > 20 { return copy("", to: schedule, 256) }
        copy(strategy.name, to: schedule, 256)
    }

    private static func copy(_ text: String, to place: UnsafeMutablePointer<CChar>, _ size: Int) {
        _ = text.withCString { strncpy(place, $0, size - 1) }
        place[size - 1] = 0
    }

    nonisolated(unsafe) private static let head = UnsafePointer(
        strdup("FAILED: crashed\n  replay: scripts/explore.sh --program '")!)
    nonisolated(unsafe) private static let middle = UnsafePointer(strdup("' --schedule ")!)
    nonisolated(unsafe) private static let tail = UnsafePointer(strdup("\n")!)
}
