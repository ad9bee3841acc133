/// A coordinator with one timer. The timer's job enters the gate. If the timer is cancelled or `pending` is disposed of
/// while the job waits there, ``tick()`` is not called.
///
/// If the clock is monotonic, setting the timer to a later time schedules no job. The job that is already scheduled
/// fires first, and then schedules a job for the remaining time. On other schedulers, each call of `setTimer` schedules
/// a job, because these schedulers may have their own order for due jobs.
///
/// Guards: once the source is subscribed to, only the thread that owns the gate calls the functions and uses
/// `deadline`, `alarm` and `isDue`. `pending` is thread-safe.
@usableFromInline
class TimedCoordinator: Coordinator {
    @usableFromInline
    final let scheduler: any SchedulerType
    @usableFromInline
    final let clock: SpanClock
    /// The scheduled job. Disposed of with the source.
    @usableFromInline
    final let pending: SerialDisposable
    private final var deadline = 0
    /// The due time of the scheduled job, on the monotonic clock. Nil if there is none, or if the clock is not
    /// monotonic.
    private final var alarm: Int?
    /// Whether the timer fired, or a throttle was ready to send, while the downstream chain was paused.
    private final var isDue = false

    @usableFromInline
    init(_ context: inout SubscribeContext, _ scheduler: any SchedulerType) {
        self.scheduler = ContextScheduler.capturing(for: scheduler)
        clock = SpanClock(scheduler)
        pending = SerialDisposable()
        super.init(&context)
        context.adopt(pending)
        hearsOfResumes()
    }

    /// Creates a coordinator whose source and timer may outlive the downstream chain.
    @usableFromInline
    init(
        _ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ pending: SerialDisposable,
        _ upstream: RefCountedUpstream
    ) {
        self.scheduler = ContextScheduler.capturing(for: scheduler)
        clock = SpanClock(scheduler)
        self.pending = pending
        super.init(&context, innerChains: upstream.innerChains, from: upstream)
    }

    /// Whether the timer's action waits while the downstream chain is paused. False if the action sends no element.
    @usableFromInline
    var waitsForResume: Bool { true }

    @usableFromInline
    override func resumed() {
        if exchange(&isDue, with: false) && isLive { ContextScheduler.restore(from: scheduler) { tick() } }
    }

    @usableFromInline
    func tick() {
        abstractMethod()
    }

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

    /// Cancels the timer before a delivery, so that it does not fire during the delivery.
    @usableFromInline
    final func callOff() {
        isDue = false
        if clock.isMonotonic { deadline = .max } else { pending.disposable = NopDisposable.noOp }
    }

    private final func schedule(_ span: RxTimeInterval) {
        // `pending` is set before the action is scheduled, because the scheduler may run the action at once.
        let turn = SingleAssignmentDisposable()
        nonisolated(unsafe) let coordinator = self  // the action enters the gate
        pending.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) { _ in
                coordinator.enter {
                    // The timer may have been replaced while this closure waited. The gate's owner need not be a thread
                    // of the scheduler, so the captured context is restored here.
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

    /// Whether the action must wait because the downstream chain is paused. If so, ``resumed()`` will call ``tick()``.
    @usableFromInline
    final func isKeptForResume() -> Bool {
        guard keepsForResume() else { return false }
        isDue = true
        return true
    }
}
