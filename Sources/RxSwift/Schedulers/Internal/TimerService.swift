internal import CRxCore
internal import Dispatch

/// The process's timer service (`crx_timer.h`).
enum TimerService {
    /// On a thread that the explorer controls, the timer service of the explorer's run; otherwise the service of the
    /// process.
    static var shared: UnsafeMutablePointer<crx_timers> {
        #if RX_EXPLORE
            if Explored.isCaller { return Explored.timers { TimedJob.fire($0) } }
        #endif
        return process
    }

    // nonisolated(unsafe) because the service has its own lock.
    nonisolated(unsafe) private static let process: UnsafeMutablePointer<crx_timers> = {
        TimedJob.checkLayout()
        let service = UnsafeMutablePointer<crx_timers>.allocate(capacity: 1)
        crx_timers_init(
            service, { TimedJob.fire($0) },
            { failure in
                ThreadRefused(name: "rx.timers", code: failure).report()
                askAgain()
            })
        return service
    }()

    /// Retries until the refused thread has started. Uses Dispatch, because without that thread no timer of the service
    /// fires.
    private static func askAgain() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            if !crx_timers_ask_again(shared) { askAgain() }
        }
    }

    static var now: UInt64 { crx_timers_now() }
}

/// A job that is queued at its deadline.
///
/// While the timer is pending, the service owns a reference to the job. When the timer fires, the scheduler's queue
/// takes over this reference. So the service's thread neither runs a user's code nor frees a user's objects.
///
/// Guard: the timer service owns `node`.
class TimedJob: ScheduledJob, @unchecked Sendable {  // because of the guards above; subclasses name theirs
    // The first stored property after those of the superclass, because `timer` is computed from its address.
    private final var node = crx_timer()

    private final let home: TimerHome

    init(_ home: TimerHome) {
        self.home = home
        super.init()
    }

    /// Queues the job at `deadline`. If `deadline` is `.max`, does nothing.
    final func start(at deadline: UInt64, now: UInt64) {
        if deadline == .max { return }
        let owned = Unmanaged.passRetained(self as ScheduledJob)
        if deadline <= now {
            home.take(owned)
        } else if !crx_timer_start(TimerService.shared, timer, home.group, now, deadline) {
            // The group is closed: the scheduler has been shut down.
            owned.takeRetainedValue().drop()
        }
    }

    final func stop() {
        guard crx_timer_cancel(TimerService.shared, timer) else { return }
        Unmanaged.passUnretained(self).release()
        home.hasOneTimerLess()
    }

    // MARK: Memory layout

    private static let header = 2 * MemoryLayout<UnsafeRawPointer>.size
    private static let offset = MemoryLayout<crx_flag>.stride + MemoryLayout<Unmanaged<ScheduledJob>?>.stride

    private final var timer: UnsafeMutablePointer<crx_timer> {
        (_getUnsafePointerToStoredProperties(self) + Self.offset).assumingMemoryBound(to: crx_timer.self)
    }

    private static func job(_ timer: UnsafeMutablePointer<crx_timer>) -> Unmanaged<TimedJob> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(timer) - offset - header)
    }

    fileprivate static func checkLayout() {
        let probe = TimedJob(.service)
        probe.timer.pointee.deadline = 0x7e57
        precondition(
            probe.node.deadline == 0x7e57 && job(probe.timer).toOpaque() == Unmanaged.passUnretained(probe).toOpaque())
    }

    fileprivate static func fire(_ timer: UnsafeMutablePointer<crx_timer>) {
        let job = job(timer)
        job._withUnsafeGuaranteedRef { $0.home }.take(Unmanaged.fromOpaque(job.toOpaque()))
    }

    /// Drops all jobs with pending timers in the group. After the call, no thread is enqueuing a job of the group.
    static func close(_ group: UnsafeMutablePointer<crx_timer_group>) {
        var next = crx_timer_group_close(TimerService.shared, group)
        while let timer = next {
            next = crx_timer_next_closed(timer)
            job(timer).takeRetainedValue().drop()
        }
    }
}
