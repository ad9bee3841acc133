internal import CRxCore
#if Foundation
    internal import Foundation
#endif

/// Finds out, while a thread subscribes to what it will wait for, whether that could ever come.
///
/// Where every event of the chain has to pass a hop (`observe(on:)`, `subscribe(on:)`) to a scheduler that the waiting
/// thread itself holds up, the wait would never end. A hop above an operator with several sources is none of those:
/// other events may come past it.
///
/// - `chains`, `obstacle`: the subscribing thread's alone; the detector is looked up by that thread.
@usableFromInline
package final class DeadlockDetector: @unchecked Sendable {  // because of the guard above
    /// What keeps the events of a chain from coming.
    package enum Obstacle {
        /// The thread holds up a scheduler of its own, described here.
        case held(String)
        /// The thread holds up the main queue, unless it runs it while it waits.
        case mainQueue
    }

    /// How many detectors are out, so that a hop which meets none pays one load.
    private static let out = AtomicCount()
    private static let byThread = Locked<[UInt: DeadlockDetector]>([:])

    private var chains: [ObjectIdentifier] = []
    private var obstacle: Obstacle?

    /// Subscribes as `subscribe(_:)` does.
    ///
    /// - Returns: the subscription, and what keeps its events from coming as long as the calling thread waits.
    package static func subscribe<Element>(
        to source: Observable<Element>, _ handler: @escaping (Event<Element>) -> Void
    )
        -> (any Disposable, Obstacle?)
    {
        let detector = DeadlockDetector()
        let disposer = SinkDisposer()
        detector.chains = [ObjectIdentifier(disposer)]
        let me = crx_thread_self()
        let outer = byThread.withLock { $0.updateValue(detector, forKey: me) }
        out.add(1)
        source.subscribe(last: EventSink(handler, disposer), disposer)
        out.add(-1)
        let replaced = byThread.withLock { detectors in
            defer { detectors[me] = outer }
            return detectors[me]
        }
        return withExtendedLifetime(replaced) { (disposer, detector.obstacle) }
    }

    /// Called by a hop of the chain `below`, which is fed by the chain `above`.
    @usableFromInline
    static func hop(to scheduler: any ImmediateSchedulerType, from above: SinkDisposer, into below: SinkDisposer) {
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
        guard let queue = (scheduler as? any BurstScheduler)?.jobQueue else {
            // Without a queue of its own it shares the main queue.
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
