public import CRxCore

/// A piece of scheduled work. It is also a node in the queue of a trampoline or scheduler, so enqueuing allocates
/// nothing.
///
/// A job is in at most one queue, which retains it. A running job may queue itself again.
///
/// Guards:
/// - `flag`: an atomic word for subclasses.
/// - `next`: owned by the enqueuing thread until the job is enqueued, then by the thread that drains the queue.
@usableFromInline
class ScheduledJob: @unchecked Sendable {  // because of the guards above; subclasses name theirs
    // The first stored property, because `FlagAndLock.flag(of: self)` is its address.
    @usableFromInline
    final let word = crx_flag()

    @usableFromInline
    @exclusivity(unchecked)
    final var next: Unmanaged<ScheduledJob>?

    @inlinable
    init() {}

    @inlinable
    final var flag: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    @usableFromInline
    func run() {
        fatalError("abstract")
    }

    /// Called instead of ``run()`` after a shutdown. Releases what ``run()`` would have used.
    @usableFromInline
    func drop() {}
}

/// A job that calls `body`. The closure captures nothing, so the compiler specialises it together with the generic code
/// that makes the job.
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
