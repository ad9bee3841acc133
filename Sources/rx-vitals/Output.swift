import Glibc

/// Where frames go. Called by one thread at a time.
protocol Output {
    /// Throws `Closed` when nobody reads any more.
    func show(_ frame: Frame) throws
    /// Leaves the terminal as it was.
    func end()
}

/// The reader of a pipe went away. That is how `rx-vitals | head` ends, no fault.
struct Closed: Error {}

/// Something else kept standard output from taking what was written.
struct WriteError: Error, CustomStringConvertible {
    var code: Int32
    var description: String { "cannot write: \(String(cString: strerror(code)))" }
}

/// Writes all of the text. SIGPIPE has to be ignored.
func write(_ text: String, to file: Int32 = STDOUT_FILENO) throws {
    var text = text
    try text.withUTF8 { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw Closed()
            } else if errno == EAGAIN {
                // Another process has made it so, which shares the terminal.
                var place = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&place, 1, -1)
            } else if errno != EINTR {
                throw WriteError(code: errno)
            }
        }
    }
}
