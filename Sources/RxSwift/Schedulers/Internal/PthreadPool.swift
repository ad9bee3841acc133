internal import CRxCore
internal import Dispatch

/// The threads of a ``PthreadPoolScheduler`` and their queue.
///
/// Guards: `lock` protects `State`. It is not held while user code is called or a thread is started.
///
/// 1. *Order*: jobs are dequeued under the lock, oldest first.
/// 2. *No lost wake-up*: a thread is *searching* if it has been woken or started, but has not yet read the queue.
///    Enqueuing a job wakes a parked thread or starts one, except in these cases. If no more jobs wait than threads
///    search, one of these threads takes the job. If all `maxThreads` threads are busy, a thread that becomes free
///    takes the job. If the system refused the pool's only thread, a retry starts a thread later. Other refused threads
///    are also retried, because all running jobs may wait for a queued job. A thread that takes a job starts another
///    thread if jobs wait and no thread is searching.
/// 3. *Surplus threads end*: the thread that parked last is woken first, so surplus threads reach the end of their idle
///    time.
/// 4. *All threads are joined*: a thread that ends joins the thread that ended before it. A shutdown joins the
///    remaining ones. Without a shutdown, one ended thread may stay unjoined until the pool is freed.
///
/// Modelled in Tests/Models/pool.pml.
final class PthreadPool: @unchecked Sendable {  // because of the guard above
    /// A thread of the pool. The pool's lock protects `isSearching`.
    fileprivate final class Member {
        let thread = Pthread()
        let wakeUp = ParkingSemaphore()
        var isSearching = true
    }

    private enum Ending {
        case never
        /// The scheduler has been released. The threads end after all jobs and timers.
        case whenIdle
        /// The pool accepts no more jobs.
        case shutDown
    }

    private struct State: ~Copyable {
        var waiting = Ring<Unmanaged<ScheduledJob>>()
        var members: ContiguousArray<Member> = []
        /// The parked threads, in the order in which they parked.
        var parked: ContiguousArray<Member> = []
        var searching = 0
        /// Ended threads that must be joined.
        var left: ContiguousArray<Pthread> = []
        var started = 0
        /// Whether the pool has no thread because the system refused to start one.
        var isRefused = false
        var isAskedAgain = false
        /// Whether the refusal has been reported. Reset when a searching thread reaches the queue.
        var isReported = false
        var ending = Ending.never
    }

    private enum Call {
        case nobody
        case wake(Member)
        case start(Member, number: Int)
        case refused
    }

    private enum Turn {
        /// First start the thread of the `Call`, if any. Then run the job.
        case run(Unmanaged<ScheduledJob>, Call)
        case drop(Unmanaged<ScheduledJob>)
        case park
        case leave(ContiguousArray<Pthread>)
    }

    let timers = UnsafeMutablePointer<crx_timer_group>.allocate(capacity: 1)
    /// An atomic word. If it is not 0, a thread drops the jobs that it dequeues.
    let dropping = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)

    private let lock = UnsafeMutablePointer<crx_lock>.allocate(capacity: 1)
    private var state = State()

    let name: String
    private let maxThreads: Int
    private let idleTime: DispatchTimeInterval
    private let stackSize: Int?

    init(name: String, maxThreads: Int, idleTime: DispatchTimeInterval, stackSize: Int?) {
        self.name = name
        self.maxThreads = maxThreads
        self.idleTime = idleTime
        self.stackSize = stackSize
        lock.initialize(to: crx_lock())
        crx_timer_group_init(timers)
        dropping.initialize(to: crx_flag())
    }

    deinit {
        lock.deallocate()
        timers.deallocate()
        dropping.deallocate()
    }

    var threadCount: Int { lock.withLock { state.members.count } }

    // MARK: Enqueuing

    func enqueue(_ job: ScheduledJob) {
        enqueue(owned: Unmanaged.passRetained(job))
    }

    func enqueue(owned job: Unmanaged<ScheduledJob>) {
        if !add(job) { job.takeRetainedValue().drop() }
    }

    /// Enqueues a job that has run and must run again. Returns false after a shutdown.
    func takesBack(_ job: ScheduledJob) -> Bool {
        let owned = Unmanaged.passRetained(job)
        let isTaken = add(owned)
        if !isTaken { owned.release() }
        return isTaken
    }

    private func add(_ job: Unmanaged<ScheduledJob>) -> Bool {
        switch lock.withLock({ add_locked(job) }) {
        case .nobody: break
        case .wake(let member): member.wakeUp.signal()
        case .start(let member, let number): start(member, number)
        case .refused: return false
        }
        return true
    }

    private func add_locked(_ job: Unmanaged<ScheduledJob>) -> Call {
        if state.ending == .shutDown { return .refused }
        state.waiting.append(job)
        if state.searching >= state.waiting.count { return .nobody }
        if let member = wakenMember_locked() { return .wake(member) }
        if state.members.count == maxThreads || state.isRefused { return .nobody }
        return newMember_locked()
    }

    private func wakenMember_locked() -> Member? {
        guard let member = state.parked.popLast() else { return nil }
        member.isSearching = true
        state.searching += 1
        return member
    }

    private func newMember_locked() -> Call {
        let member = Member()
        state.members.append(member)
        state.searching += 1
        state.started += 1
        return .start(member, number: state.started)
    }

    private func start(_ member: Member, _ number: Int) {
        // The kernel stores only 15 bytes of the name. The number must be among them.
        let suffix = "-\(number)"
        var begin = name[...]
        while begin.utf8.count > max(0, 15 - suffix.utf8.count) { begin.removeLast() }
        let failure = member.thread.start(name: begin + suffix, stackSize: stackSize) {
            self.serve(member)
        }
        if failure == 0 { return }
        let (asksAgain, isNew, woken) = lock.withLock {
            state.members.removeAll { $0 === member }
            state.searching -= 1
            state.isRefused = state.members.isEmpty
            // A refusal is not reported if the pool has other threads, because they can take the job.
            let isNew = state.isRefused && !exchange(&state.isReported, with: true)
            // While the refused thread counted as searching, a job may have been enqueued without waking a thread.
            let woken = state.searching < state.waiting.count ? wakenMember_locked() : nil
            return (!exchange(&state.isAskedAgain, with: true), isNew, woken)
        }
        member.thread.giveUp()
        woken?.wakeUp.signal()
        if asksAgain { ThreadRefused.retry { self.startAgain() } }
        if isNew { ThreadRefused(name: name, code: failure).report() }
    }

    private func startAgain() {
        let call = lock.withLock {
            state.isRefused = false
            state.isAskedAgain = false
            return leavesOthers_locked() ? newMember_locked() : .nobody
        }
        if case .start(let member, let number) = call { start(member, number) }
    }

    // MARK: A thread

    private func serve(_ member: Member) {
        while true {
            switch lock.withLock({ turn_locked(member) }) {
            case .run(let job, let call):
                if case .start(let other, let number) = call { start(other, number) }
                if crx_watch_any(CRX_WATCH_STALLS), let run = StallWatch.run({ name }) {
                    run.run { job._withUnsafeGuaranteedRef { $0.run() } }
                    run.end()
                } else {
                    job._withUnsafeGuaranteedRef { $0.run() }
                }
                job.release()
            case .drop(let job): job.takeRetainedValue().drop()
            case .leave(let before): return before.forEach { $0.join() }
            case .park:
                if member.wakeUp.park(atMost: idleTime) { continue }
                // If nil, another thread has removed this member from `parked` and is about to signal `wakeUp`.
                guard let before = lock.withLock({ leaveIfParked_locked(member) }) else {
                    member.wakeUp.wait()
                    continue
                }
                return before.forEach { $0.join() }
            }
        }
    }

    private func turn_locked(_ member: Member) -> Turn {
        if member.isSearching {
            member.isSearching = false
            state.searching -= 1
            // The thread that started this one does not reset `isReported`, because its reset might come after the next
            // refusal.
            state.isReported = false
        }
        if !state.waiting.isEmpty {
            let job = state.waiting.removeFirst()
            // Read under the lock, so that no job runs after an earlier one was dropped.
            if crx_flag_load_relaxed(dropping) != 0 { return .drop(job) }
            return .run(job, leavesOthers_locked() ? newMember_locked() : .nobody)
        }
        if state.ending != .never { return .leave(leave_locked(member)) }
        state.parked.append(member)
        return .park
    }

    /// Whether a thread must be started for waiting jobs. If jobs wait and no thread is searching, no thread is parked,
    /// so none can be woken. After a shutdown the result is false, because the shutdown would not join a new thread.
    private func leavesOthers_locked() -> Bool {
        !state.waiting.isEmpty && state.searching == 0 && state.members.count < maxThreads && state.ending != .shutDown
    }

    private func leaveIfParked_locked(_ member: Member) -> ContiguousArray<Pthread>? {
        guard let place = state.parked.firstIndex(where: { $0 === member }) else { return nil }
        state.parked.remove(at: place)
        return leave_locked(member)
    }

    private func leave_locked(_ member: Member) -> ContiguousArray<Pthread> {
        state.members.removeAll { $0 === member }
        let before = state.left
        state.left = [member.thread]
        return before
    }

    // MARK: Ending

    func release() {
        let parked = lock.withLock { end_locked(.whenIdle) }
        parked.forEach { $0.wakeUp.signal() }
    }

    func shutdown(_ pending: PendingWork) {
        assert(crx_thread_locks_held() == 0, "shutdown may not be called while a lock is held")
        if pending == .drop { crx_flag_fetch_or_acq_rel(dropping, 1) }
        // Closes the timers first, so that no timer enqueues a job later.
        TimedJob.close(timers)
        let parked = lock.withLock { end_locked(.shutDown) }
        parked.forEach { $0.wakeUp.signal() }
        if pending == .drop { dropWaiting() }
        let threads = lock.withLock { state.members.map(\.thread) + state.left }
        if threads.contains(where: \.isCurrent) { return }
        threads.forEach { $0.join() }
        // No thread will run the jobs that still wait.
        dropWaiting()
    }

    private func dropWaiting() {
        while let job = lock.withLock({ state.waiting.isEmpty ? nil : state.waiting.removeFirst() }) {
            job.takeRetainedValue().drop()
        }
    }

    private func end_locked(_ ending: Ending) -> ContiguousArray<Member> {
        if state.ending != .shutDown { state.ending = ending }
        let parked = state.parked
        state.parked = []
        for member in parked { member.isSearching = true }
        state.searching += parked.count
        return parked
    }
}
