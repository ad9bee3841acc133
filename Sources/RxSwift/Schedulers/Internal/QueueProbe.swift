internal import CRxCore
package import Dispatch

/// Checks once whether a queue runs the blocks that are enqueued on it. If the first block waits longer than
/// `patience`, calls `warn`, on a thread of Dispatch.
///
/// The word: bit 0 *begun*, bit 1 *seen to run*, bit 2 *armed*, bit 3 *over*.
package final class QueueProbe: @unchecked Sendable {  // because the word is atomic and the rest never changes
    private static let begun: UInt = 1
    private static let seen: UInt = 2
    private static let armed: UInt = 4
    private static let over: UInt = 8

    // The first stored property, because `FlagAndLock.flag(of: self)` is its address.
    private let word = crx_flag()
    private let queue: DispatchQueue
    private let patience: DispatchTimeInterval
    private let warn: @Sendable () -> Void

    package init(of queue: DispatchQueue, patience: DispatchTimeInterval, warn: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.patience = patience
        self.warn = warn
    }

    /// Enables the check. Until then ``begin()`` does nothing.
    package func arm() {
        crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), Self.armed)
    }

    package func begin() {
        let flag = FlagAndLock.flag(of: self)
        guard crx_flag_load_relaxed(flag) == Self.armed, crx_flag_fetch_or_acq_rel(flag, Self.begun) == Self.armed
        else { return }
        queue.async { [self] in crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), Self.seen) }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [self] in
            let flag = FlagAndLock.flag(of: self)
            if crx_flag_load_acquire(flag) & Self.seen == 0 { warn() }
            crx_flag_fetch_or_acq_rel(flag, Self.over)
        }
    }

    package var isOver: Bool { crx_flag_load_acquire(FlagAndLock.flag(of: self)) & Self.over != 0 }
}
