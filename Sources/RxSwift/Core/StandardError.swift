#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

package enum StandardError {
    /// Writes a line, unbuffered, because a process that hangs or stops does not flush buffers.
    package static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(STDERR_FILENO, bytes.baseAddress! + written, bytes.count - written)
                if count > 0 { written += count } else if count == 0 || errno != EINTR { return }
            }
        }
    }
}
