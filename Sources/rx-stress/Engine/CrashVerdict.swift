import Glibc

/// If the soak crashes, prints a last line with the scenario and the seed. The signal's previous handler runs
/// afterwards.
///
/// `line` and `length` are written between scenarios and read by a signal handler, which cannot wait. At worst the
/// handler prints a mixture of two lines.
enum CrashVerdict {
    nonisolated(unsafe) private static let line = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1_024)
    nonisolated(unsafe) private static var length = 0
    nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    static func prepare(_ text: String) {
        length = 0
        for (index, byte) in (text + "\n").utf8.prefix(line.count).enumerated() { line[index] = byte }
        length = min(text.utf8.count + 1, line.count)
    }

    static func install() {
        prepare("soak FAILED: a crash")
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in CrashVerdict.tell(signal) }
            action.sa_flags = Int32(SA_NODEFER) | Int32(SA_ONSTACK)
            sigaction(signal, &action, former + Int(signal))
        }
    }

    /// Runs within the signal handler, so it makes only async-signal-safe calls. When it returns, the same fault occurs
    /// again and reaches the previous handler.
    private static func tell(_ signal: Int32) {
        _ = write(STDOUT_FILENO, line.baseAddress, length)
        length = 0
        sigaction(signal, former + Int(signal), nil)
        if signal == SIGABRT { raise(signal) }
    }
}
