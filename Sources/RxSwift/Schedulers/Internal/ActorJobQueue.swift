internal import CRxCore

/// A ``JobQueue`` drained on an actor, by one task at a time.
///
/// - `actor`: never written. A task that drains holds the actor; where it is gone already, a task lets go of what is
///   queued and closes the queue, in place of a drain.
final class ActorJobQueue: JobQueue, @unchecked Sendable {  // because of the guard above
    /// After so many jobs other calls of the actor have their turn.
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
            Task.detached { self.abandon() }
            return
        }
        if isMain { MainQueue.expectDrain() }
        // The actor's to run, nobody's before: a task takes it to the actor.
        nonisolated(unsafe) let turn = makeTurn(on: actor)
        // Detached, so that it has no task-locals of whoever wakes the queue, nor its priority.
        Task.detached(operation: turn)
    }

    private typealias Turn = @isolated(any) () async -> Void

    /// What a task does on an actor, and begins there: without a way over the pool's threads first, which may all be
    /// busy. Only a function of the actor can make a closure of the actor's; this one makes it and touches nothing of
    /// the actor, so that anybody may call it.
    private func makeTurn(on actor: any Actor) -> Turn {
        let make: (isolated any Actor) -> Turn = { actor in
            {
                _ = actor
                self.turn()
            }
        }
        // The cast only drops `isolated` from the type. `Actor.assumeIsolated` of the standard library does the same.
        // `ActorSchedulerTests.runsIsolatedToTheActor` fails on a compiler where it is wrong.
        return unsafeBitCast(make, to: ((any Actor) -> Turn).self)(actor)
    }

    private func turn() {
        if !drain(atMost: Self.burst) { wake() }
    }

    /// Lets go of all there is, and of what comes later. On no thread of the library's, for it is a user's that is
    /// freed.
    private func abandon() {
        // First: from here on no timer is on its way to the queue.
        if let timers { TimedJob.close(timers) }
        discard()
    }
}
