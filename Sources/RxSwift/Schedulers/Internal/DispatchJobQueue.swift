internal import Dispatch

/// A ``JobQueue`` drained by one block at a time on a serial dispatch queue.
final class DispatchJobQueue: JobQueue, @unchecked Sendable {  // because its one property never changes
    /// After so many jobs the queue's other blocks, and those of the queue that it targets, have their turn.
    private static let burst = 512

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    override var name: String { queue.label }

    override func wake() {
        queue.async { [self] in
            if !drain(atMost: Self.burst) { wake() }
        }
    }
}
