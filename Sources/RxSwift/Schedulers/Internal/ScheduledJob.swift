public import CRxCore

/// A piece of scheduled work: a node of the trampoline's or of a scheduler's queue, so that queueing it allocates
/// nothing.
///
/// A job is in one queue at a time; while it is, the queue owns a reference to it. A job that runs may queue itself
/// again.
///
/// - `flag`: an atomic word, for subclasses to use.
/// - `next`: who queues the job, up to the moment when it is queued; then who drains the queue.
@usableFromInline
class ScheduledJob: @unchecked Sendable {  // because of the guards above; subclasses name theirs
    // The first stored property: `flag` is its address.
    @usableFromInline
    final let word = crx_flag()

    @usableFromInline
    @exclusivity(unchecked)
    final var next: Unmanaged<ScheduledJob>?

    @inlinable
    init() {}

    @inlinable
    final var flag: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    /// Does the work, once for each time it was queued.
    @usableFromInline
    func run() {
        fatalError("abstract")
    }

    /// Called instead of ``run()`` when the scheduler has been shut down: frees what the job would have used.
    @usableFromInline
    func drop() {}
}

/// A job of generic code: what it runs captures nothing, so that the code that made it, if it was specialised, is what
/// runs.
@usableFromInline
class SpecialisedJob: ScheduledJob, @unchecked Sendable {  // because of its superclass's guards
    @usableFromInline
    let body: (SpecialisedJob) -> Void

    @inlinable
    init(_ body: @escaping (SpecialisedJob) -> Void) {
        self.body = body
        super.init()
    }

    @usableFromInline
    final override func run() {
        body(self)
    }
}
