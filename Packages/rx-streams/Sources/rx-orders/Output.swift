import Foundation

/// Standard output and standard error, which may be closed, full, or read by nobody any more.
enum Output {
    /// Which of the three that a process begins with were closed. They are taken, so that no file gets their numbers:
    /// what is said would be written into it.
    private static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for file: Int32 in 0...2 where fcntl(file, F_GETFD) < 0 {
            closed.insert(file)
            // The lowest number that is free is this one.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
        return closed
    }()

    /// To be called first of all.
    static func begin() {
        _ = closed
        // Who writes to a pipe that nobody reads is told so, and not ended.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes what the program is for.
    ///
    /// - Throws: ``Failure`` where it cannot be written.
    static func write(_ text: String) throws {
        guard let why = failure(text, STDOUT_FILENO) else { return }
        throw Failure("standard output: \(why)")
    }

    /// Writes what is said beside the work, which goes on where that cannot be written.
    static func say(_ text: String) { _ = failure(text, STDOUT_FILENO) }

    /// Writes what is wrong.
    static func complain(_ text: String) { _ = failure(text, STDERR_FILENO) }

    private static func failure(_ text: String, _ file: Int32) -> String? {
        if closed.contains(file) { return "it is closed" }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return String(cString: strerror(errno)) }
            bytes = bytes.dropFirst(max(0, count))
        }
        return nil
    }
}
