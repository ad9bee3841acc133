import Foundation

/// Handles standard descriptors that are closed, full or without a reader.
enum Output {
    /// Opens /dev/null in place of descriptors that were closed at the start, so that no other file gets one of them
    /// and receives output.
    private static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for file: Int32 in 0...2 where fcntl(file, F_GETFD) < 0 {
            closed.insert(file)
            // `open` returns the lowest free descriptor, which is `file`.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
        return closed
    }()

    /// Call this before the program opens a file or writes output.
    static func begin() {
        _ = closed
        // With SIGPIPE ignored, a write without a reader fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
    }

    static func write(_ text: String) throws {
        guard let why = failure(text, STDOUT_FILENO) else { return }
        throw Failure("standard output: \(why)")
    }

    static func say(_ text: String) { _ = failure(text, STDOUT_FILENO) }

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
