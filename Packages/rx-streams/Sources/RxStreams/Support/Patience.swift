/// The growing pauses, up to two seconds, between attempts while the engine is unavailable. The caller must log a
/// warning, because no other code reports an engine that is connected but fails.
package struct Patience {
    private var pause = 50
    private var failures = 0

    package init() {}

    /// Waits before the next attempt. Calls `warn` after about five seconds of failures, then about once a minute.
    package mutating func wait(on driver: some StreamDriver, _ warn: () -> Void) async throws {
        failures += 1
        // The eighth failure comes after about five seconds. Later ones come every two seconds, so 30 take a minute.
        if failures % 30 == 8 { warn() }
        try await driver.sleep(.milliseconds(pause))
        pause = min(pause * 2, 2_000)
    }
}
