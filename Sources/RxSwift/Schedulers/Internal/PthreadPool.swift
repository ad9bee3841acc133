internal import CRxCore
internal import Dispatch

/// The threads of a ``PthreadPoolScheduler`` and the one queue that they serve.
///
/// Guarded by `lock`, which is never held in a call-out nor while a thread is started: everything in `State`.
///
/// 1. *Order*: jobs are taken out under the lock, oldest first.
/// 2. *Nothing waits in vain*: a job that is queued wakes a parked thread or starts one, unless as many threads are on
///    their way to the queue (`searching`) as jobs wait in it, or all threads there may be are busy: then one of these
///    comes back and takes it. Where the system makes no thread it is asked again after a while, for those that there
///    are may all wait for what is queued. Who takes a job and leaves others for which nobody is on the way, as after a
///    shortage, starts a thread, which does the same.
/// 3. *Surplus threads leave*: the thread parked last is woken first, so that those that are not needed sleep on until
///    their time is over.
/// 4. *All are joined*: a thread that leaves joins those that left before it, and a shutdown joins the last; at most
///    one that has ended is left over, until the pool is freed.
///
/// Modelled in Tests/Models/pool.pml.
final class PthreadPool: @unchecked Sendable {  // because of the guard above
    /// One thread; its fields are guarded by the pool's lock, but the semaphore, on which it parks.
    fileprivate final class Member {
        let thread = Pthread()
        let wakeUp = DispatchSemaphore(value: 0)
        var isSearching = true
    }

    private enum Ending {
        case never
        /// The scheduler is gone: what waits still runs, timers too, and threads that find nothing leave.
        case whenIdle
        /// Nothing is taken in any more.
        case shutDown
    }

    private struct State: ~Copyable {
        var waiting = Ring<Unmanaged<ScheduledJob>>()
        var members: ContiguousArray<Member> = []
        /// Those that sleep, the last one on top.
        var parked: ContiguousArray<Member> = []
        /// How many have been woken or started and have not looked at the queue since.
        var searching = 0
        /// Threads that have left and are still to be joined.
        var left: ContiguousArray<Pthread> = []
        var started = 0
        /// Whether the system makes not even one thread, as far as is known.
        var isRefused = false
        /// Whether the system is going to be asked again.
        var isAskedAgain = false
        /// Whether the shortage has been reported; until a thread comes to the queue.
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
        /// Runs a job, and calls who sees to the others first.
        case run(Unmanaged<ScheduledJob>, Call)
        case park
        case leave(ContiguousArray<Pthread>)
    }

    let timers = UnsafeMutablePointer<crx_timer_group>.allocate(capacity: 1)
    /// Atomic. Set once nothing more is to run.
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

    // MARK: Taking in

    /// Queues a job. A pool that has been shut down drops it instead.
    func enqueue(_ job: ScheduledJob) {
        enqueue(owned: Unmanaged.passRetained(job))
    }

    /// The same; the caller's reference becomes the pool's.
    func enqueue(owned job: Unmanaged<ScheduledJob>) {
        if !add(job) { job.takeRetainedValue().drop() }
    }

    /// Queues a job that runs once more, behind what waits; false, and it is the caller's still, where the pool has
    /// been shut down.
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
        // The number must survive the 15 bytes that the kernel keeps.
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
            // With another thread about, the job may only have to wait for that.
            let isNew = state.isRefused && !exchange(&state.isReported, with: true)
            // For what came meanwhile and counted on the new one.
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
            case .leave(let before): return before.forEach { $0.join() }
            case .park:
                if member.wakeUp.wait(timeout: .now() + idleTime) == .success { continue }
                // The thread that took it from among the parked is about to signal.
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
            // Here, not where it was started: that thread may come late, in the midst of the next shortage.
            state.isReported = false
        }
        if !state.waiting.isEmpty {
            let job = state.waiting.removeFirst()
            return .run(job, leavesOthers_locked() ? newMember_locked() : .nobody)
        }
        if state.ending != .never { return .leave(leave_locked(member)) }
        state.parked.append(member)
        return .park
    }

    /// Whether jobs wait that nobody is on the way to, though there may be one more thread; a shutdown has counted
    /// those that it joins. Where jobs wait nobody sleeps.
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

    /// Lets the threads leave when nothing is left for them.
    func release() {
        let parked = lock.withLock { end_locked(.whenIdle) }
        parked.forEach { $0.wakeUp.signal() }
    }

    func shutdown(_ pending: PendingWork) {
        assert(crx_thread_locks_held() == 0, "who holds a lock may not wait")
        if pending == .drop { crx_flag_fetch_or_acq_rel(dropping, 1) }
        // Before the queue closes: from here on no timer is on its way to it.
        TimedJob.close(timers)
        let parked = lock.withLock { end_locked(.shutDown) }
        parked.forEach { $0.wakeUp.signal() }
        if pending == .drop { dropWaiting() }
        let threads = lock.withLock { state.members.map(\.thread) + state.left }
        if threads.contains(where: \.isCurrent) { return }
        threads.forEach { $0.join() }
        // What no thread could be made for.
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
