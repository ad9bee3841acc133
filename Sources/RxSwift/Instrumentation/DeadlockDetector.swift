internal import CRxCore
#if Foundation
    internal import Foundation
#endif

/// While a thread subscribes, checks whether the events that the thread will wait for can arrive.
///
/// If every event must pass a scheduler boundary (`observe(on:)`, `subscribe(on:)`) to a scheduler that the waiting
/// thread blocks, the wait never ends. Above an operator with several sources, a boundary does not count, because other
/// sources may bypass it.
///
/// Guard:
/// - `chains`, `obstacle`: used only by the subscribing thread, because each thread looks up only its own detector in
///   `byThread`.
@usableFromInline
package final class DeadlockDetector: @unchecked Sendable {  // because of the guard above
    package enum Obstacle {
        /// The thread blocks this scheduler, which is not on the main queue.
        case held(String)
        /// The thread blocks the main queue, unless it runs the main queue while it waits.
        case mainQueue
    }

    /// The number of calls of `subscribe(to:_:)` in progress, on all threads.
    private static let out = AtomicCount()
    private static let byThread = Locked<[UInt: DeadlockDetector]>([:])

    private var chains: [ObjectIdentifier] = []
    private var obstacle: Obstacle?

    package static func subscribe<Element>(
        to source: Observable<Element>, _ handler: @escaping (Event<Element>) -> Void
    )
        -> (any Disposable, Obstacle?)
    {
        let detector = DeadlockDetector()
        let lifetime = ChainLifetime()
        detector.chains = [ObjectIdentifier(lifetime)]
        let me = crx_thread_self()
        let outer = byThread.withLock { $0.updateValue(detector, forKey: me) }
        out.add(1)
        source.subscribe(last: EventSink(handler, lifetime), lifetime)
        out.add(-1)
        let replaced = byThread.withLock { detectors in
            defer { detectors[me] = outer }
            return detectors[me]
        }
        return withExtendedLifetime(replaced) { (lifetime, detector.obstacle) }
    }

    @usableFromInline
    static func boundary(to scheduler: any ImmediateSchedulerType, from above: ChainLifetime, into below: ChainLifetime)
    {
        guard out.value > 0, let detector = byThread.withLock({ $0[crx_thread_self()] }) else { return }
        guard detector.chains.contains(ObjectIdentifier(below)) else { return }
        detector.chains.append(ObjectIdentifier(above))
        if detector.obstacle == nil { detector.obstacle = obstacle(scheduler) }
    }

    private static func obstacle(_ scheduler: any ImmediateSchedulerType) -> Obstacle? {
        #if Foundation
            if let operations = scheduler as? OperationQueueScheduler {
                let queue = operations.operationQueue
                if queue === OperationQueue.main { return MainQueue.isCurrent ? .mainQueue : nil }
                return OperationQueue.current === queue && queue.maxConcurrentOperationCount == 1
                    ? .held("its operation queue") : nil
            }
        #endif
        if scheduler is ConcurrentMainScheduler { return MainQueue.isCurrent ? .mainQueue : nil }
        guard let queue = (scheduler as? any BatchingScheduler)?.jobQueue else {
            // A serial scheduler without a job queue runs on the main queue.
            return scheduler is SerialDispatchQueueScheduler && MainQueue.isCurrent ? .mainQueue : nil
        }
        guard queue.isDrainedByCaller else { return nil }
        return switch scheduler {
        case is PthreadScheduler: .held("the thread of its PthreadScheduler")
        case is ActorScheduler: .held("the actor of its ActorScheduler")
        default: .held("the queue of its SerialDispatchQueueScheduler")
        }
    }
}
