/// How something is tried again and again that fails for want of a connection: after pauses that grow to two seconds,
/// and with a warning where it takes long, for an engine may be there and still not do what it is asked for.
package struct Patience {
    private var pause = 50
    private var failures = 0

    package init() {}

    /// Waits before the next attempt.
    ///
    /// - Parameter warn: called after some five seconds, and then about once a minute.
    package mutating func wait(on driver: some StreamDriver, _ warn: () -> Void) async throws {
        failures += 1
        // Then with every thirtieth pause of two seconds.
        if failures % 30 == 8 { warn() }
        try await driver.sleep(.milliseconds(pause))
        pause = min(pause * 2, 2_000)
    }
}
