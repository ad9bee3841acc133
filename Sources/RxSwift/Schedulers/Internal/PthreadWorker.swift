internal import CRxCore
internal import Dispatch

/// The thread of a ``PthreadScheduler`` and its queue.
///
/// The thread owns the worker while it runs; the scheduler and the timers that are out own it as well.
/// - `ending`, `dropping`: atomic; they only grow.
/// - `launch`: under its lock, which is held while the thread is started.
/// - `wakeUps`: counts at least one for each reason to look again; a wake-up too many costs one look.
final class PthreadWorker: JobQueue, @unchecked Sendable {  // because of the guards above
    enum Ending: UInt {
        case never
        /// When nothing waits, timers included: the scheduler is gone, so nothing new comes but from what waits.
        case whenIdle
        /// When what waits has run. Its timers have been dropped.
        case whenDrained
        /// When what runs has ended. Its timers have been dropped.
        case now
    }

    private enum Launch {
        case waiting
        case started
        /// There is no thread, and there will be none.
        case abandoned
    }

    /// After so many jobs the thread looks whether it is to end: work may bring work for ever.
    private static let burst = 4096

    private let wakeUps = DispatchSemaphore(value: 0)
    private let ending = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)
    private let group = UnsafeMutablePointer<crx_timer_group>.allocate(capacity: 1)
    private let thread = Pthread()
    private let launch = Locked(Launch.waiting)
    private let threadName: String
    private let stackSize: Int?

    init(name: String, stackSize: Int?) {
        Pthread.check(stackSize: stackSize, operator: "PthreadScheduler")
        threadName = name
        self.stackSize = stackSize
        ending.initialize(to: crx_flag())
        crx_timer_group_init(group)
        let dropping = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)
        dropping.initialize(to: crx_flag())
        super.init(timers: group, dropping: dropping)
    }

    deinit {
        ending.deallocate()
        group.deallocate()
        dropping?.deallocate()
    }

    override var name: String { threadName }

    /// Starts the thread. Where the system refuses one, what is queued waits until it makes one.
    func start() {
        let failure = tryToStart()
        if failure != 0 { ThreadRefused(name: name, code: failure).report() }
    }

    private func tryToStart() -> Int32 {
        let failure = launch.withLock { launch in
            guard launch == .waiting else { return Int32(0) }
            let failure = thread.start(name: name, stackSize: stackSize) { self.loop() }
            if failure == 0 { launch = .started }
            return failure
        }
        if failure != 0 { ThreadRefused.retry { _ = self.tryToStart() } }
        return failure
    }

    /// Whether there is no thread; then there will be none.
    private func abandon() -> Bool {
        launch.withLock { launch in
            guard launch == .waiting else { return false }
            launch = .abandoned
            return true
        }
    }

    override func wake() {
        wakeUps.signal()
    }

    override func hasOneTimerLess() {
        // The thread may have waited for this one alone.
        if current() == .whenIdle { wake() }
    }

    /// Lets the thread end by itself.
    func release() {
        end(.whenIdle)
    }

    func shutdown(_ pending: PendingWork) {
        assert(crx_thread_locks_held() == 0, "who holds a lock may not wait")
        if pending == .drop, let dropping { crx_flag_fetch_or_acq_rel(dropping, 1) }
        // Before the queue may close: from here on no timer is on its way to it.
        TimedJob.close(group)
        end(pending == .drain ? .whenDrained : .now)
        if abandon() {
            // In the thread's place, which nobody else takes.
            discard()
            thread.giveUp()
        }
        // Neither on the thread nor, where there is none, in a `deinit` of what is let go.
        if !thread.isCurrent, !isDrainedByCaller { thread.join() }
    }

    private func end(_ wanted: Ending) {
        var old = crx_flag_load_relaxed(ending)
        while old < wanted.rawValue {
            let seen = crx_flag_compare_and_swap_acq_rel(ending, old, wanted.rawValue)
            if seen == old { break }
            old = seen
        }
        wake()
    }

    private func current() -> Ending {
        // The word holds nothing else.
        Ending(rawValue: crx_flag_load_acquire(ending)).unsafelyUnwrapped
    }

    private func loop() {
        while true {
            let isEmpty = drain(atMost: Self.burst)
            switch current() {
            case .never: break
            case .whenIdle: if isEmpty, crx_timer_group_is_idle(TimerService.shared, group), close() { return }
            case .whenDrained:
                if !isEmpty { finish() }
                if close() { return }
            case .now: return discard()
            }
            if isEmpty { wakeUps.wait() }
        }
    }
}
