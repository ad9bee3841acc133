public import CRxCore

/// The waiting jobs of one thread: a local variable of `Trampoline.run(_:)`, which runs the jobs.
@usableFromInline
struct TrampolineQueue {
    @usableFromInline
    var first: Unmanaged<ScheduledJob>?
    @usableFromInline
    var last: Unmanaged<ScheduledJob>?

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ job: ScheduledJob) {
        let node = Unmanaged.passRetained(job)
        job.next = nil
        if let last { last._withUnsafeGuaranteedRef { $0.next = node } } else { first = node }
        last = node
    }

    @inlinable
    mutating func popFirst() -> Unmanaged<ScheduledJob>? {
        guard let node = first else { return nil }
        first = node._withUnsafeGuaranteedRef { $0.next }
        if first == nil { last = nil }
        return node
    }

    /// Replaces each `job` after `mark`, or each job if `mark` is nil, with `other(job)`.
    mutating func replace(after mark: Unmanaged<ScheduledJob>?, by other: (ScheduledJob) -> ScheduledJob) {
        var behind = TrampolineQueue()
        if let mark {
            behind.first = mark._withUnsafeGuaranteedRef { exchange(&$0.next, with: nil) }
            behind.last = behind.first == nil ? nil : last
        } else {
            behind = self
            first = nil
        }
        last = mark
        while let job = behind.popFirst() { append(other(job.takeRetainedValue())) }
    }
}

/// The trampoline of the calling thread. A job that is queued during another job runs after that job.
///
/// Subscribing to a cold source starts a trampoline, so that the sources of one subscription take turns, and recursion
/// becomes a loop.
@usableFromInline
enum Trampoline {
    @inlinable
    static var current: UnsafeMutablePointer<TrampolineQueue>? {
        crx_thread_trampoline()?.assumingMemoryBound(to: TrampolineQueue.self)
    }

    @inlinable
    static var isRunning: Bool { crx_thread_trampoline() != nil }

    @inlinable
    static var hasWaiting: Bool { current?.pointee.first != nil }

    @inlinable
    static func run(_ body: () -> Void) {
        assert(!isRunning, "a trampoline runs on this thread already")
        var queue = TrampolineQueue()
        withUnsafeMutablePointer(to: &queue) { queue in
            crx_thread_set_trampoline(queue)
            body()
            while let job = queue.pointee.popFirst() {
                job._withUnsafeGuaranteedRef { $0.run() }
                job.release()
            }
            crx_thread_set_trampoline(nil)
        }
    }

    /// If the thread has no trampoline, `job` runs at once in a new one.
    @inlinable
    static func enqueue(_ job: ScheduledJob) {
        if let current { current.pointee.append(job) } else { run { job.run() } }
    }
}

extension CurrentThreadScheduler {
    /// Runs `body` and all jobs that it schedules on this thread. The thread's current trampoline is suspended until
    /// this function returns.
    package static func runApart(_ body: () -> Void) {
        withoutTrampoline { Trampoline.run(body) }
    }

    /// Suspends the thread's current trampoline until `body` has returned. Each subscription in `body` to a cold source
    /// starts its own trampoline.
    package static func withoutTrampoline<Result>(_ body: () -> Result) -> Result {
        let outer = crx_thread_trampoline()
        crx_thread_set_trampoline(nil)
        defer { crx_thread_set_trampoline(outer) }
        return body()
    }
}
