internal import CRxCore
internal import Dispatch
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The thread of a ``PthreadScheduler`` and what it runs: a queue and timers.
///
/// The thread owns the worker while it runs; the scheduler and the timers that are out own it as well.
/// - `timers`, `disposedTimers`, `ending`, `hasEnded`: guarded by `lock`, which is never held in a call-out.
/// - `wakeUps`: counts at least one for each reason to look again; a wake-up too many costs one look.
final class PthreadWorker: JobQueue, @unchecked Sendable {  // because of the guards above
    enum Ending {
        case never
        /// When nothing waits, timers included: the scheduler is gone, so nothing new comes but from what waits.
        case whenIdle
        /// When the queue is empty.
        case now
    }

    /// So many jobs run between two looks at the timers.
    private static let burst = 256
    /// So many disposed timers may stay among the others, at least.
    private static let tolerated = 64

    private let wakeUps = DispatchSemaphore(value: 0)
    @exclusivity(unchecked)
    private var timers = TimerHeap()
    @exclusivity(unchecked)
    private var disposedTimers = 0
    @exclusivity(unchecked)
    private var ending = Ending.never
    @exclusivity(unchecked)
    private var hasEnded = false

    func start(name: String, stackSize: Int?) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize, pthread_attr_setstacksize(&attributes, stackSize) != 0 {
            rxFatalError("A thread can't have this stack", operator: "PthreadScheduler", argument: "stackSize", value: stackSize)
        }
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(self, name))
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                // The argument is the one that is passed below.
                let start = Unmanaged<Start>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue()
                crx_thread_set_name(start.name)
                start.worker.loop()
                return nil
            }, start.toOpaque())
        if failure != 0 {
            rxFatalError("A thread can't be started", operator: "PthreadScheduler", argument: "name", value: "\(name), error \(failure)")
        }
    }

    /// What a new thread is given.
    private final class Start {
        let worker: PthreadWorker
        let name: String

        init(_ worker: PthreadWorker, _ name: String) {
            self.worker = worker
            self.name = name
        }
    }

    override func wake() {
        wakeUps.signal()
    }

    func end(_ wanted: Ending) {
        lock.withLock {
            if ending != .now { ending = wanted }
        }
        wake()
    }

    /// Schedules a job, once or again and again.
    func schedule(_ job: any ScheduledJob & Cancelable, after dueTime: DispatchTimeInterval, every period: DispatchTimeInterval?)
        -> any Disposable
    {
        let deadline = DispatchTime.now().uptimeNanoseconds.addingSaturating(dueTime.nanosecondsFromZero)
        let timer = TimerHeap.Timer(deadline: deadline, period: period.map { max(1, $0.nanosecondsFromZero) }, job: job)
        let isFirst = insert(timer)
        if isFirst { wake() }
        return PthreadTimer(job, self)
    }

    /// - Returns: whether the thread has to look again, because the timer is due before all others.
    private func insert(_ timer: TimerHeap.Timer) -> Bool {
        lock.withLock {
            if hasEnded { return false }
            let earliest = timers.earliest
            timers.insert(timer)
            return earliest.map { timer.deadline < $0 } ?? true
        }
    }

    /// Lets disposed timers go when they are the most.
    fileprivate func noteDisposedTimer() {
        let removed: ContiguousArray<TimerHeap.Timer> = lock.withLock {
            disposedTimers += 1
            let isMost = disposedTimers > Self.tolerated && disposedTimers > timers.count / 2
            guard isMost || ending == .whenIdle else { return [] }
            disposedTimers = 0
            return timers.removeDisposed()
        }
        // The thread may have waited for these alone.
        if !removed.isEmpty { wake() }
    }

    private func loop() {
        while true {
            let isIdle = drain(atMost: Self.burst)
            runDueTimers()
            if !isIdle { continue }
            if lock.withLock({ endNow_locked() }) != nil { return }
            wait()
        }
    }

    /// The timers to drop if the thread ends now: the caller releases them, after the lock.
    private func endNow_locked() -> TimerHeap? {
        switch ending {
        case .never: return nil
        case .whenIdle: if timers.count > 0 { return nil }
        case .now: break
        }
        // Without call-outs: an RMW on the queue's word.
        guard close() else { return nil }
        hasEnded = true
        let left = timers
        timers = TimerHeap()
        return left
    }

    private func runDueTimers() {
        guard lock.withLock({ timers.count > 0 }) else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        while let timer = lock.withLock({ timers.popFirst(dueAt: now) }) {
            timer.job.run()
            guard !timer.job.isDisposed, let next = timer.next(after: DispatchTime.now().uptimeNanoseconds) else { continue }
            _ = insert(next)
        }
    }

    private func wait() {
        switch lock.withLock({ timers.earliest }) {
        case nil, .max?: wakeUps.wait()
        case let earliest?: _ = wakeUps.wait(timeout: DispatchTime(uptimeNanoseconds: earliest))
        }
    }
}

/// A timer of a worker. Both properties never change, and any thread may use them.
private final class PthreadTimer: Cancelable, @unchecked Sendable {  // because of the line above
    private let job: any ScheduledJob & Cancelable
    private let worker: PthreadWorker

    init(_ job: any ScheduledJob & Cancelable, _ worker: PthreadWorker) {
        self.job = job
        self.worker = worker
    }

    var isDisposed: Bool { job.isDisposed }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into agenda: inout _DisposalAgenda) {
        if job.isDisposed { return }
        job._dispose(into: &agenda)
        worker.noteDisposedTimer()
    }
}
