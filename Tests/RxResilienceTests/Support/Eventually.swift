/// Whether something comes true that tasks see to.
///
/// It looks thirty thousand times, a millisecond apart, and not until a moment comes: other tests may keep the threads
/// that tasks run on, and then this one waits as well.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<30_000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
