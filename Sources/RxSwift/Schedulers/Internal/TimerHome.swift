internal import CRxCore
internal import Dispatch

/// Where the job of a due timer runs.
enum TimerHome: @unchecked Sendable {  // because any thread may use each queue and pool
    case jobs(JobQueue)
    case dispatch(DispatchQueue)
    case pool(PthreadPool)
    /// The timer service's thread, only for jobs of the library.
    case service

    /// Takes over the caller's reference; `.service` runs the job at once.
    func take(_ job: Unmanaged<ScheduledJob>) {
        switch self {
        case .jobs(let queue):
            queue.enqueue(owned: job)
        case .dispatch(let queue):
            #if RX_EXPLORE
                if Explored.isCaller { return Explored.spawn { job.takeRetainedValue().run() } }
            #endif
            queue.async { job.takeRetainedValue().run() }
        case .pool(let pool):
            pool.enqueue(owned: job)
        case .service:
            job.takeRetainedValue().run()
        }
    }

    var group: UnsafeMutablePointer<crx_timer_group>? {
        switch self {
        case .jobs(let queue): queue.timers
        case .pool(let pool): pool.timers
        case .dispatch, .service: nil
        }
    }

    func hasOneTimerLess() {
        if case .jobs(let queue) = self, queue.timers != nil { queue.hasOneTimerLess() }
    }
}

struct Timers: Sendable {
    private let home: TimerHome
    /// In nanoseconds.
    private let leeway: UInt64

    init(_ home: TimerHome, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.home = home
        self.leeway = leeway.nanosecondsFromZero
        // Timers fire later, so `dlclose` must not unload the library.
        crx_image_keep()
    }

    func schedule<State>(
        _ state: State, after dueTime: DispatchTimeInterval, _ action: @escaping (State) -> any Disposable
    )
        -> any Disposable
    {
        let job = TimedAction(home, state, action)
        let now = TimerService.now, span = dueTime.nanosecondsFromZero
        job.start(at: span == 0 ? now : now.addingSaturating(span).within(leeway), now: now)
        return job
    }

    /// The leeway is limited to half the period, so that no run is delayed until the next one.
    func schedule<State>(
        _ state: State, after dueTime: DispatchTimeInterval, every period: DispatchTimeInterval,
        _ action: @escaping (State) -> State
    ) -> any Disposable {
        let first = TimerService.now.addingSaturating(dueTime.nanosecondsFromZero)
        let period = max(1, period.nanosecondsFromZero)
        let job = PeriodicAction(home, state, first: first, period: period, leeway: min(leeway, period / 2), action)
        job.start()
        return job
    }
}

extension UInt64 {
    /// This moment, rounded up to a multiple of the largest power of two that is at most `leeway`. So timers with the
    /// same leeway can share wake-ups.
    func within(_ leeway: UInt64) -> UInt64 {
        if leeway == 0 { return self }
        let step: UInt64 = 1 << (UInt64.bitWidth - 1 - leeway.leadingZeroBitCount)
        return addingSaturating(step - 1) == .max ? .max : addingSaturating(step - 1) & ~(step - 1)
    }

    func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func multipliedSaturating(by other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

extension DispatchTimeInterval {
    /// Nanoseconds, at least zero; `UInt64.max` for `never`.
    var nanosecondsFromZero: UInt64 {
        func span(_ count: Int, of unit: UInt64) -> UInt64 {
            count <= 0 ? 0 : UInt64(count).multipliedSaturating(by: unit)
        }
        switch self {
        case .seconds(let count): return span(count, of: 1_000_000_000)
        case .milliseconds(let count): return span(count, of: 1_000_000)
        case .microseconds(let count): return span(count, of: 1_000)
        case .nanoseconds(let count): return span(count, of: 1)
        case .never: return .max
        @unknown default: return .max
        }
    }
}
