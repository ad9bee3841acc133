internal import CRxCore
internal import Dispatch

/// Looks up symbol names for reports, one look-up at a time, in the order of the reports. Look-ups have their own
/// queue, because a look-up in a large program takes a second or more, and would delay other work.
package enum NameLookups {
    private static let queue = DispatchQueue(label: "rx.names", qos: .utility)

    /// Runs `body` on the queue. The process may exit before `body` has run.
    static func later(_ body: @escaping @Sendable () -> Void) {
        crx_image_keep()
        queue.async(execute: body)
    }

    /// Waits until all look-ups have ended. For tests.
    package static func finish() {
        queue.sync {}
    }

    /// Suspends the queue, so that no further look-up starts. For tests.
    package static func suspend() {
        queue.suspend()
    }
}
