/// Whether a condition that tasks bring about comes true.
///
/// Checks thirty thousand times, a millisecond apart, instead of until a deadline: if other tests occupy the threads of
/// the tasks, this one waits as well.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<30_000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
