internal import CRxCore
internal import Dispatch

/// Where names are looked up for reports: off the thread that delivers, because it takes a second or more in a large
/// program. One look-up at a time, in the order of the reports.
package enum NameLookups {
    private static let queue = DispatchQueue(label: "rx.names", qos: .utility)

    /// Runs `body` there. The process may end before it has run.
    static func later(_ body: @escaping @Sendable () -> Void) {
        crx_image_keep()
        queue.async(execute: body)
    }

    /// Waits until all of them have ended. For tests.
    package static func finish() {
        queue.sync {}
    }

    /// Keeps the next ones from beginning. For tests.
    package static func suspend() {
        queue.suspend()
    }
}
