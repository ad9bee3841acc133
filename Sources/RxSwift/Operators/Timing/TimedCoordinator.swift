/// A coordinator with a timer. Setting the timer calls off what it was set to before.
///
/// The timer enters through the gate, and the owner alone sets it. So a turn that was called off while it waited at the
/// gate sees that there, and does nothing; nor does one whose chain has been disposed.
///
/// On a monotonic clock a timer that is set to a later moment is left to fire: it then sleeps for the rest. A debounce
/// that is fed a million elements in a second schedules a few timers, not a million. A foreign scheduler is asked each
/// time, for it may order what is due at once.
///
/// Guards: `deadline`, `alarm` and `isDue` are the gate's owner's, but before the source is subscribed; `pending` has
/// its own.
@usableFromInline
class TimedCoordinator: Coordinator {
    @usableFromInline
    final let scheduler: any SchedulerType
    @usableFromInline
    final let clock: SpanClock
    /// Disposed with the source, which ends the timer.
    @usableFromInline
    final let pending: SerialDisposable
    /// When the timer is to fire; a monotonic clock's moment.
    private final var deadline = 0
    /// When the timer that is scheduled will fire; nil when there is none, or the clock does not tell.
    private final var alarm: Int?
    /// Whether something was due while the chain below was paused: the timer's time, or an element that a throttle may
    /// send.
    private final var isDue = false

    @usableFromInline
    init(_ assembly: inout Assembly, _ scheduler: any SchedulerType) {
        self.scheduler = ContextScheduler.capturing(for: scheduler)
        clock = SpanClock(scheduler)
        pending = SerialDisposable()
        super.init(&assembly)
        assembly.adopt(pending)
        hearsOfResumes()
    }

    /// Makes a coordinator whose source and timer may outlive the chain below.
    @usableFromInline
    init(
        _ assembly: inout Assembly, _ scheduler: any SchedulerType, _ pending: SerialDisposable,
        _ upstream: RefCountedUpstream
    ) {
        self.scheduler = ContextScheduler.capturing(for: scheduler)
        clock = SpanClock(scheduler)
        self.pending = pending
        super.init(&assembly, innerChains: upstream.innerChains, from: upstream)
    }

    /// Whether what the timer does waits while the chain below is paused.
    @usableFromInline
    var waitsForResume: Bool { false }

    /// What the timer had to do while the chain below was paused is done now. Only the gate's owner calls it.
    @usableFromInline
    override func resumed() {
        if exchange(&isDue, with: false) && isLive { ContextScheduler.restore(from: scheduler) { tick() } }
    }

    /// What the timer does. Only the gate's owner calls it.
    @usableFromInline
    func tick() {
        abstractMethod()
    }

    /// Sets the timer. Only the gate's owner calls it.
    @usableFromInline
    final func setTimer(_ span: RxTimeInterval) {
        isDue = false
        if clock.isMonotonic {
            deadline = clock.now.advanced(bySaturating: span.nanosecondsInInt)
            if let alarm, alarm <= deadline { return }
            alarm = deadline
        }
        schedule(span)
    }

    /// Calls the timer off until it is set again: its time may come within a delivery, on the thread that delivers.
    /// Only the gate's owner calls it.
    @usableFromInline
    final func callOff() {
        isDue = false
        if clock.isMonotonic { deadline = .max } else { pending.disposable = NopDisposable.noOp }
    }

    private final func schedule(_ span: RxTimeInterval) {
        // Assigned first, because a scheduler may run the action at once.
        let turn = SingleAssignmentDisposable()
        nonisolated(unsafe) let coordinator = self  // the action enters the gate
        pending.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) { _ in
                coordinator.enter {
                    // Here, because another thread may run this: the one that owns the gate just now.
                    if !turn.isDisposed { ContextScheduler.restore(from: coordinator.scheduler) { coordinator.fire() } }
                }
                return Disposables.create()
            })
    }

    private final func fire() {
        alarm = nil
        if clock.isMonotonic {
            let rest = deadline.span(since: clock.now)
            if rest > 0 {
                alarm = deadline
                return schedule(.span(rest))
            }
        }
        if !waitsForResume || !isKeptForResume() { tick() }
    }

    /// Whether what is due now waits for the resume, where ``tick()`` does it. Only the gate's owner calls it.
    @usableFromInline
    final func isKeptForResume() -> Bool {
        guard keepsForResume() else { return false }
        isDue = true
        return true
    }
}
