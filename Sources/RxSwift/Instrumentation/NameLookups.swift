internal import CRxCore
internal import Dispatch

/// Looks up functions for reports, in order, on a queue of its own: a look-up may take seconds in a large program.
package enum NameLookups {
    private static let queue = DispatchQueue(label: "rx.names", qos: .utility)

    /// Runs `body` on the queue, unless the process exits first.
    static func later(_ body: @escaping @Sendable () -> Void) {
        crx_image_keep()
        queue.async(execute: body)
    }

    /// Waits for all look-ups, for tests.
    package static func finish() {
        queue.sync {}
    }

    /// Prevents further look-ups, for tests.
    package static func suspend() {
        queue.suspend()
    }
}
