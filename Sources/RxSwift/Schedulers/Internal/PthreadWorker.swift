internal import CRxCore
internal import Dispatch

/// The thread and the queue of a ``PthreadScheduler``. The running thread, the scheduler and each pending timer retain
/// it.
///
/// Guards:
/// - `ending`, `dropping`: atomic; their values only grow.
/// - `launch`: protected by its lock, which is held while the thread is started.
/// - `wakeUps`: a semaphore, signalled when the thread must check its queue again.
final class PthreadWorker: JobQueue, @unchecked Sendable {  // because of the guards above
    enum Ending: UInt {
        case never
        /// The scheduler has been released. The thread ends after all jobs and timers.
        case whenIdle
        /// The thread ends after the waiting jobs.
        case whenDrained
        /// The thread ends after the current job.
        case now
    }

    private enum Launch {
        case waiting
        case started
        case abandoned
    }

    /// After this number of jobs, the thread checks whether it must end, because jobs may add jobs forever.
    private static let burst = 4096

    private let wakeUps = ParkingSemaphore()
    private let ending = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)
    private let group = UnsafeMutablePointer<crx_timer_group>.allocate(capacity: 1)
    #if RX_EXPLORE
        // nonisolated(unsafe): at the end of the explorer's run, the worker's own thread replaces this property, while
        // no other controlled thread runs. Uncontrolled threads must not stop or release the scheduler during a run.
        nonisolated(unsafe) private var thread = Pthread()
    #else
        private let thread = Pthread()
    #endif
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

    /// With `RX_EXPLORE`, `wake()` starts the thread instead. If the explorer controls the thread that enqueues the
    /// first job, it also controls the new thread.
    func start() {
        #if !RX_EXPLORE
            launchThread()
        #endif
    }

    private func launchThread() {
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

    /// Returns false if the thread has already been started or abandoned.
    private func abandon() -> Bool {
        launch.withLock { launch in
            guard launch == .waiting else { return false }
            launch = .abandoned
            return true
        }
    }

    override func wake() {
        wakeUps.signal()
        #if RX_EXPLORE
            launchThread()
        #endif
    }

    override func hasOneTimerLess() {
        // After the last timer of a released scheduler, the thread must check whether to end.
        if current() == .whenIdle { wake() }
    }

    func release() {
        #if RX_EXPLORE
            // In this build, the first job starts the thread. So without a thread and a timer, no work is left.
            if crx_timer_group_is_idle(TimerService.shared, group), abandon() { return thread.giveUp() }
        #endif
        end(.whenIdle)
    }

    func shutdown(_ pending: PendingWork) {
        assert(crx_thread_locks_held() == 0, "shutdown may not be called while a lock is held")
        if pending == .drop, let dropping { crx_flag_fetch_or_acq_rel(dropping, 1) }
        // Closes the timers before the queue, so that no timer enqueues a job later.
        TimedJob.close(group)
        end(pending == .drain ? .whenDrained : .now)
        if abandon() {
            discard()
            thread.giveUp()
        }
        // The thread cannot join itself. If `discard` runs a `deinit` that calls this function, `join` would wait
        // forever for `giveUp`.
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
        // The word holds only raw values of `Ending`.
        Ending(rawValue: crx_flag_load_acquire(ending)).unsafelyUnwrapped
    }

    /// Called at the end of the explorer's run. The first job of a later run starts the new thread.
    private func isOver() {
        #if RX_EXPLORE
            launch.withLock { launch in
                launch = .waiting
                thread = Pthread()
            }
        #endif
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
            if isEmpty && !wakeUps.park() { return isOver() }
        }
    }
}
