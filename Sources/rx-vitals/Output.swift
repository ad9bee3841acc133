import Glibc

/// A destination for frames, used by one thread at a time.
protocol Output {
    /// Throws `Closed` if the reader has closed the pipe.
    func show(_ frame: Frame) throws
    /// Restores the terminal.
    func end()
}

/// The reader has closed the pipe. This is not an error: `rx-vitals | head` ends this way.
struct Closed: Error {}

struct WriteError: Error, CustomStringConvertible {
    var code: Int32
    var description: String { "cannot write: \(String(cString: strerror(code)))" }
}

/// Writes all of `text`. The process must ignore SIGPIPE.
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
                // Another process has made the shared terminal non-blocking, so this call waits for room.
                var place = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&place, 1, -1)
            } else if errno != EINTR {
                throw WriteError(code: errno)
            }
        }
    }
}
