internal import CRxCore

/// Jobs that have run and may be queued again by the one who makes them: a hop that is not behind allocates nothing, and counts no reference
/// of anything that two threads share.
///
/// - `returned`: the newest of the jobs given back, linked; 0 for none, 1 once closed. Pushed by any thread, taken whole by the taker: no ABA.
/// - `spare`, `members`: the taker's, who is serial.
@usableFromInline
final class JobPool: @unchecked Sendable {  // because of the guards above
    /// So many jobs are kept; more than that in flight are made and freed.
    private static let limit = 256
    private static let closed: UInt = 1

    // The first stored property: its address is the word's.
    private let returned = crx_flag()

    @usableFromInline
    @exclusivity(unchecked)
    var spare: Unmanaged<ScheduledJob>?

    @exclusivity(unchecked)
    private var members = 0

    @usableFromInline
    init() {}

    private var word: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    /// A job that has run, for the taker to fill and queue.
    @inlinable
    @inline(__always)
    func take() -> ScheduledJob? {
        if spare == nil { takeReturned() }
        guard let job = spare else { return nil }
        spare = job._withUnsafeGuaranteedRef { $0.next }
        return job.takeRetainedValue()
    }

    /// The pool, for a new job to be given back to, unless it has enough of them.
    @usableFromInline
    func admit() -> JobPool? {
        guard members < Self.limit else { return nil }
        members += 1
        return self
    }

    @usableFromInline
    func takeReturned() {
        guard crx_flag_load_relaxed(word) > Self.closed else { return }
        var old = crx_flag_load_relaxed(word)
        while old > Self.closed {
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, 0)
            if seen == old { break }
            old = seen
        }
        spare = Self.job(old)
    }

    /// Keeps a job that runs for the last time until it is queued again, unless the pool is closed.
    @usableFromInline
    func give(_ job: ScheduledJob) {
        let node = Unmanaged.passRetained(job)
        var old = crx_flag_load_relaxed(word)
        while old != Self.closed {
            job.next = Self.job(old)
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, UInt(bitPattern: node.toOpaque()))
            if seen == old { return }
            old = seen
        }
        node.release()
    }

    /// Lets all jobs go, and those that are given back later.
    func close() {
        var old = crx_flag_load_relaxed(word)
        while true {
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, Self.closed)
            if seen == old { break }
            old = seen
        }
        release(spare.take())
        release(Self.job(old))
    }

    private func release(_ first: Unmanaged<ScheduledJob>?) {
        var node = first
        while let current = node {
            node = current._withUnsafeGuaranteedRef { $0.next }
            current.release()
        }
    }

    private static func job(_ word: UInt) -> Unmanaged<ScheduledJob>? {
        word > closed ? Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped) : nil
    }
}
