internal import CRxCore
internal import Dispatch

/// Looks up the functions of call stacks for reports, one report at a time, in order. The look-ups have their own
/// queue, because a look-up may take seconds in a large program and would delay other work.
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
