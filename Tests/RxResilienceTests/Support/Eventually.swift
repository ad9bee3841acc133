/// Waits until tasks make `condition` true. Returns false after a number of checks, not after a time, because other
/// tests may occupy the threads that run the tasks.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<30_000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
