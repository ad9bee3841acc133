import CRxCore
import Glibc
import RxTest

/// If the process crashes, prints the program and the schedule that ran.
///
/// Guard: the exploring thread writes `program` and `schedule`. The signal handler reads them on that thread, or while
/// that thread waits.
enum Crash {
    private static let programSize = 1024
    /// The size of the schedule's text, with 16 bytes for each switch.
    private static let scheduleSize = 64 + 16 * Int(CRX_EXPLORE_SWITCHES)
    private static let signalStackSize = 1 << 16

    nonisolated(unsafe) private static let program = UnsafeMutablePointer<CChar>.allocate(capacity: programSize)
    nonisolated(unsafe) private static let schedule = UnsafeMutablePointer<CChar>.allocate(capacity: scheduleSize)

    static func install() {
        (program[0], schedule[0]) = (0, 0)
        // Makes `head` and `tail` now, because the handler must not allocate.
        _ = (head, tail)
        // The handler needs its own stack after a stack overflow.
        var stack = stack_t()
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: signalStackSize, alignment: 16)
        stack.ss_size = signalStackSize
        sigaltstack(&stack, nil)
        var action = sigaction()
        action.sa_flags = CInt(SA_ONSTACK)
        action.__sigaction_handler.sa_handler = { number in
            // Calls only async-signal-safe functions. Makes no array, because an array could allocate.
            Crash.write(Crash.head)
            Crash.write(Crash.program)
            Crash.write(Crash.schedule)
            Crash.write(Crash.tail)
            signal(number, SIG_DFL)
            raise(number)
        }
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] { sigaction(number, &action, nil) }
    }

    static func isExploring(_ program: Program) { copy(program.description, to: self.program, programSize) }

    /// - Parameter strategy: the strategy of the schedule that runs; nil while an order of the actions runs, because
    ///   orders have no names.
    static func isRunning(_ strategy: Schedule.Strategy?) {
        copy("'" + (strategy.map { " --schedule \($0.name)" } ?? ""), to: schedule, scheduleSize)
    }

    private static func copy(_ text: String, to place: UnsafeMutablePointer<CChar>, _ size: Int) {
        var text = text
        text.withUTF8 { bytes in
            let count = min(bytes.count, size - 1)
            if let start = bytes.baseAddress { memcpy(place, start, count) }
            place[count] = 0
        }
    }

    private static func write(_ text: UnsafePointer<CChar>) { _ = Glibc.write(1, text, strlen(text)) }

    nonisolated(unsafe) private static let head = UnsafePointer(
        strdup("FAILED: crashed\n  replay: scripts/explore.sh --program '")!)
    nonisolated(unsafe) private static let tail = UnsafePointer(strdup("\n")!)
}
