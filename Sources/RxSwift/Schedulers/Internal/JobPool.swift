internal import CRxCore

/// Jobs that have run and may be queued again by the one who makes them: a hop that is not behind allocates nothing,
/// and counts no reference of anything that two threads share.
///
/// What a burst needed beyond ``kept`` jobs is let go when the queue runs empty: by the drain, which alone gives jobs
/// back.
///
/// - `returned`: the newest of the jobs given back, linked; 0 for none, 1 once closed. Pushed by the drain, taken whole
///   by taker and drain, who put back what they leave: whatever is pushed or put back is linked to what is there then,
///   so no ABA.
/// - `freed`: atomic; how many members have been let go. It only grows.
/// - `spare`, `members`: the taker's, who is serial.
/// - `given`, `round`, `nextTrimmed`: the drain's.
@usableFromInline
final class JobPool: @unchecked Sendable {  // because of the guards above
    private struct Words {
        let returned = crx_flag()
        let freed = crx_flag()
    }

    /// So many jobs are kept in a burst; more than that in flight are made and freed.
    private static let limit = 256
    /// So many jobs the taker has at hand, and so many others stay when the queue has run empty: with the one it queued
    /// last, some 3 KiB.
    private static let kept = 4
    private static let closed: UInt = 1

    // The first stored property: `word` and `freed` are addresses in it.
    private let words = Words()

    @usableFromInline
    @exclusivity(unchecked)
    var spare: Unmanaged<ScheduledJob>?

    @exclusivity(unchecked)
    private var members = 0

    /// How many jobs have been given back since the queue was last empty, or the pool last trimmed, up to those that
    /// are worth a trim.
    @exclusivity(unchecked)
    private var given = 0
    @exclusivity(unchecked)
    private var round: UInt = 0
    /// In the queue's list of pools to trim.
    @exclusivity(unchecked)
    var nextTrimmed: Unmanaged<JobPool>?

    @usableFromInline
    init() {}

    private var word: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    private var freed: UnsafeMutablePointer<crx_flag> {
        let offset = MemoryLayout<Words>.offset(of: \.freed).unsafelyUnwrapped
        return (_getUnsafePointerToStoredProperties(self) + offset).assumingMemoryBound(to: crx_flag.self)
    }

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
        guard members - Int(crx_flag_load_relaxed(freed)) < Self.limit else { return nil }
        members += 1
        return self
    }

    @usableFromInline
    func takeReturned() {
        guard crx_flag_load_relaxed(word) > Self.closed else { return }
        spare = takeAll()
        var last = spare
        for _ in 1..<Self.kept { last = last?._withUnsafeGuaranteedRef { $0.next } }
        // The rest is left where the drain can trim it.
        if let last, let rest = last._withUnsafeGuaranteedRef({ $0.next.take() }) { putBack(rest) }
    }

    private func takeAll() -> Unmanaged<ScheduledJob>? {
        var old = crx_flag_load_relaxed(word)
        while old > Self.closed {
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, 0)
            if seen == old { break }
            old = seen
        }
        return Self.job(old)
    }

    /// Puts back what was taken, behind what has been given back meanwhile.
    private func putBack(_ jobs: Unmanaged<ScheduledJob>) {
        var first = jobs
        while true {
            let seen = crx_flag_compare_and_swap_acq_rel(word, 0, UInt(bitPattern: first.toOpaque()))
            if seen == 0 { return }
            if seen == Self.closed { return release(first) }
            guard let newer = takeAll() else { continue }
            var last = newer
            while let next = last._withUnsafeGuaranteedRef({ $0.next }) { last = next }
            last._withUnsafeGuaranteedRef { $0.next = first }
            first = newer
        }
    }

    /// Keeps a job that runs for the last time until it is queued again, unless the pool is closed. For the drain.
    @usableFromInline
    func give(_ job: ScheduledJob, of queue: JobQueue) {
        let node = Unmanaged.passRetained(job)
        var old = crx_flag_load_relaxed(word)
        while true {
            if old == Self.closed { return node.release() }
            job.next = Self.job(old)
            let seen = crx_flag_compare_and_swap_acq_rel(word, old, UInt(bitPattern: node.toOpaque()))
            if seen == old { break }
            old = seen
        }
        if round != queue.round {
            round = queue.round
            given = 0
        }
        if given <= Self.kept {
            given += 1
            if given > Self.kept { queue.trimsWhenEmpty(self) }
        }
    }

    /// Lets go of all but a few jobs that were given back: those that were given back first, which are the oldest. Says
    /// how many went. For the drain.
    func trim() -> Int {
        // What is given back from now on is worth a trim of its own, in this round too: a job that came goes first.
        given = 0
        guard var first = takeAll() else { return 0 }
        var surplus = -Self.kept
        var node: Unmanaged<ScheduledJob>? = first
        while let current = node {
            surplus += 1
            node = current._withUnsafeGuaranteedRef { $0.next }
        }
        let count = max(surplus, 0)
        if count > 0 { crx_flag_fetch_add_acq_rel(freed, UInt(count)) }
        while surplus > 0, let next = first._withUnsafeGuaranteedRef({ $0.next }) {
            first.release()
            first = next
            surplus -= 1
        }
        putBack(first)
        return count
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
