internal import CRxCore
internal import Dispatch

/// The process's one timer service: `crx_timer.h` says how it works.
enum TimerService {
    // nonisolated(unsafe) because the service has its own lock.
    nonisolated(unsafe) static let shared: UnsafeMutablePointer<crx_timers> = {
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

    /// Asks for the refused thread again until it has begun. There are no timers without it, so Dispatch says when; and
    /// Dispatch makes its caller wait, where there is no thread for its own timers either.
    private static func askAgain() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            if !crx_timers_ask_again(shared) { askAgain() }
        }
    }

    /// Nanoseconds of the monotonic clock.
    static var now: UInt64 { crx_timers_now() }
}

/// A job that is queued when its time comes.
///
/// While its timer is pending the service owns a reference to it. When the timer fires, that reference goes to the
/// scheduler's queue, so the service's thread neither runs nor frees anything of a user's.
///
/// - `node`: the timer service's, but for its deadline, which is read by who started the timer once it has fired.
class TimedJob: ScheduledJob, @unchecked Sendable {  // because of the guards above; subclasses name theirs
    // The first field after those of the superclass: `timer` is its address.
    private final var node = crx_timer()

    private final let home: TimerHome

    init(_ home: TimerHome) {
        self.home = home
        super.init()
    }

    /// Queues the job at a moment, or at once if that is past; never, if the moment is the last there is.
    final func start(at deadline: UInt64, now: UInt64) {
        if deadline == .max { return }
        let owned = Unmanaged.passRetained(self as ScheduledJob)
        if deadline <= now {
            home.take(owned)
        } else if !crx_timer_start(TimerService.shared, timer, home.group, now, deadline) {
            // The scheduler has been shut down.
            owned.takeRetainedValue().drop()
        }
    }

    /// Takes the timer back if it is pending.
    final func stop() {
        guard crx_timer_cancel(TimerService.shared, timer) else { return }
        Unmanaged.passUnretained(self).release()
        home.hasOneTimerLess()
    }

    // MARK: Its place in memory

    private static let header = 2 * MemoryLayout<UnsafeRawPointer>.size
    private static let offset = MemoryLayout<crx_flag>.stride + MemoryLayout<Unmanaged<ScheduledJob>?>.stride

    private final var timer: UnsafeMutablePointer<crx_timer> {
        (_getUnsafePointerToStoredProperties(self) + Self.offset).assumingMemoryBound(to: crx_timer.self)
    }

    private static func job(_ timer: UnsafeMutablePointer<crx_timer>) -> Unmanaged<TimedJob> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(timer) - offset - header)
    }

    /// Stops the process, should a compiler ever lay classes out differently.
    fileprivate static func checkLayout() {
        let probe = TimedJob(.service)
        probe.timer.pointee.deadline = 0x7e57
        precondition(
            probe.node.deadline == 0x7e57 && job(probe.timer).toOpaque() == Unmanaged.passUnretained(probe).toOpaque())
    }

    /// Hands a job whose time has come to its queue, with the service's reference.
    fileprivate static func fire(_ timer: UnsafeMutablePointer<crx_timer>) {
        let job = job(timer)
        job._withUnsafeGuaranteedRef { $0.home }.take(Unmanaged.fromOpaque(job.toOpaque()))
    }

    /// Drops all jobs whose timers wait in a group, and lets none start there any more. Afterwards none of them is on
    /// its way to its queue.
    static func close(_ group: UnsafeMutablePointer<crx_timer_group>) {
        var next = crx_timer_group_close(TimerService.shared, group)
        while let timer = next {
            next = crx_timer_next_closed(timer)
            job(timer).takeRetainedValue().drop()
        }
    }
}
