internal import Dispatch

/// A ``JobQueue`` that is drained on a dispatch queue, by one block at a time.
final class DispatchJobQueue: JobQueue, @unchecked Sendable {  // because its one property never changes
    /// After this number of jobs, other blocks of the dispatch queue and of its target may run.
    private static let burst = 512

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// The dispatch queue's label. A `DispatchQoS` description at its end is shortened to the name of the QoS class.
    override var name: String {
        let label = queue.label
        let parts = label.split(separator: "DispatchQoS(qosClass: Dispatch.DispatchQoS.QoSClass.", maxSplits: 1)
        guard parts.count == 2, let end = parts[1].firstIndex(of: ",") else { return label }
        return "\(parts[0])\(parts[1][..<end])"
    }

    override func wake() {
        #if RX_EXPLORE
            if Explored.isCaller {
                return Explored.spawn { [self] in if !drain(atMost: Self.burst) { wake() } }
            }
        #endif
        queue.async { [self] in
            if !drain(atMost: Self.burst) { wake() }
        }
    }
}
