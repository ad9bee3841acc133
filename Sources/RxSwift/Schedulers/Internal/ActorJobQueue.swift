internal import CRxCore

/// A ``JobQueue`` that is drained on an actor, by one task at a time.
///
/// Guard:
/// - `actor`: weak, never written after `init`. A draining task retains it. If the actor has been freed, a task drops
///   the queued jobs and closes the queue.
final class ActorJobQueue: JobQueue, @unchecked Sendable {  // because of the guard above
    /// After this number of jobs, other calls to the actor may run.
    private static let burst = 128

    private weak var actor: (any Actor)?
    private let actorName: String
    private let isMain: Bool

    init(_ actor: any Actor) {
        self.actor = actor
        actorName = "\(type(of: actor))"
        isMain = actor is MainActor
        let group = UnsafeMutablePointer<crx_timer_group>.allocate(capacity: 1)
        crx_timer_group_init(group)
        super.init(timers: group)
    }

    deinit {
        timers?.deallocate()
    }

    override var name: String { actorName }

    override func wake() {
        guard let actor else {
            #if RX_EXPLORE
                if Explored.isCaller { return Explored.spawn { self.abandon() } }
            #endif
            Task.detached { self.abandon() }
            return
        }
        if isMain { MainQueue.expectDrain() }
        // nonisolated(unsafe) because only the actor calls the closure.
        nonisolated(unsafe) let turn = makeTurn(on: actor)
        // A detached task inherits neither the task-locals nor the priority of the waking thread.
        #if RX_EXPLORE
            _ = Explored.start("jobs of an actor without an executor of its own") { Task.detached(operation: turn) }
        #else
            Task.detached(operation: turn)
        #endif
    }

    private typealias Turn = @isolated(any) () async -> Void

    /// Returns a closure that is isolated to the actor. A task that runs this closure starts on the actor, without a
    /// first step on the global executor. Only an isolated function can make such a closure. Any thread may call
    /// `make`, because `make` does not access the actor's state.
    private func makeTurn(on actor: any Actor) -> Turn {
        let make: (isolated any Actor) -> Turn = { actor in
            {
                _ = actor
                self.turn()
            }
        }
        // The cast only removes `isolated` from the type, as in the standard library's `Actor.assumeIsolated`.
        return unsafeBitCast(make, to: ((any Actor) -> Turn).self)(actor)
    }

    private func turn() {
        if !drain(atMost: Self.burst) { wake() }
    }

    /// Called by a task, because dropping a job may run a user's `deinit`, which must not run inside `wake()`.
    private func abandon() {
        // Closes the timers first, so that no timer enqueues a job later.
        if let timers { TimedJob.close(timers) }
        discard()
    }
}
