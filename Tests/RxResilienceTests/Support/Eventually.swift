/// Waits for something that other threads see to, without holding the thread that they may need; not for ever.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    while !condition() {
        if ContinuousClock.now > deadline { return condition() }
        try await Task.sleep(for: .milliseconds(1))
    }
    return true
}
