/// The loop that sends the remaining elements of a cold source to one observer.
///
/// The loop is a job of the trampoline, so a cold source sends nothing while its chain is being subscribed to. After
/// each element, the loop yields to waiting jobs, so the sources of one subscription take turns. On a scheduler other
/// than ``CurrentThreadScheduler``, each event is one action.
///
/// Guards: only the running turn uses the state; the scheduler runs one turn at a time.
@usableFromInline
class ColdLoop<Element>: ScheduledJob, @unchecked Sendable {  // because of the guard above
    /// Sends the next element, or the terminal event. If `mayGoOn` is true, continues while no other job waits. Returns
    /// false when everything has been sent. Captures nothing, like the `push` of a ``Sink``.
    @usableFromInline
    typealias Advance = (_ loop: ColdLoop<Element>, _ mayGoOn: Bool) -> Bool

    @usableFromInline
    let sink: Sink<Element>
    @usableFromInline
    let advance: Advance

    @inlinable
    init(_ sink: Sink<Element>, advance: @escaping Advance) {
        self.sink = sink
        self.advance = advance
        super.init()
    }

    @usableFromInline
    final override func run() {
        if advance(self, true) { Trampoline.enqueue(self) }
    }

    @usableFromInline
    final func start(on scheduler: any ImmediateSchedulerType, _ context: borrowing SubscribeContext) {
        let isOfThread = scheduler.isCurrentThread
        if let scope = context.scope {
            PacedLoop(self, on: isOfThread ? nil : scheduler, copy context, scope).start()
        } else if isOfThread {
            Trampoline.enqueue(self)
        } else if let captured = CapturedContext.capture() {
            context.adopt(
                scheduler.scheduleRecursive(()) { [self] _, recurse in
                    captured.run { if advance(self, false) { recurse(()) } }
                })
        } else {
            context.adopt(
                scheduler.scheduleRecursive(()) { [self] _, recurse in
                    if advance(self, false) { recurse(()) }
                })
        }
    }
}
