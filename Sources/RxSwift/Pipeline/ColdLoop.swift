/// The loop of a cold source: what it still has to send to one subscriber.
///
/// It is a job of its own on the trampoline, so a cold source never emits inside `subscribe`'s assembly. It gives way
/// to what waits after each element, so that the sources of one subscription take turns, and each turn sends at least
/// one; the terminal event is a turn like any other. On a foreign scheduler each step is one action.
///
/// Guards: one turn runs at a time, as the scheduler promises; state is touched by the turn alone.
@usableFromInline
class ColdLoop<Element>: ScheduledJob, @unchecked Sendable {  // because: see the guard above
    /// Sends the next element, or the terminal event; goes on while nothing waits, if it may. False once there is
    /// nothing more to do. It captures nothing, as a ``Sink``'s push.
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

    /// Starts the loop as the source of a chain; in a scope it is one that can be paused.
    @usableFromInline
    final func start(on scheduler: any ImmediateSchedulerType, _ assembly: borrowing Assembly) {
        let isOfThread = scheduler.isCurrentThread
        if let scope = assembly.scope {
            PacedLoop(self, on: isOfThread ? nil : scheduler, copy assembly, scope).start()
        } else if isOfThread {
            Trampoline.enqueue(self)
        } else if let context = HopContext.capture() {
            assembly.adopt(
                scheduler.scheduleRecursive(()) { [self] _, recurse in
                    context.run { if advance(self, false) { recurse(()) } }
                })
        } else {
            assembly.adopt(
                scheduler.scheduleRecursive(()) { [self] _, recurse in
                    if advance(self, false) { recurse(()) }
                })
        }
    }
}
