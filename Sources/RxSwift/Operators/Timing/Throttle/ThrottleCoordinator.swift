/// Guards: only the thread that owns the gate uses `state`.
@usableFromInline
final class ThrottleCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    @exclusivity(unchecked)
    var state: ThrottleState<Output>

    @usableFromInline
    init(_ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ state: ThrottleState<Output>) {
        self.state = state
        super.init(&context, scheduler)
    }

    @inlinable
    var sourceRole: SourceRole { .sampled }

    @inlinable
    func next(_ element: Output) {
        // `evicted` is released after `state` has changed, because its `deinit` may send an event.
        var evicted: Output? = element
        switch state.next(&evicted, at: clock.now) {
        case .send where isKeptForResume(): state.keep(element, after: evicted)
        case .send: send(element)
        case .wait(let span): setTimer(.span(span))
        case .rest: break
        }
    }

    @inlinable
    func send(_ element: Output) {
        deliver(element)
        // The clock is read after the delivery, so that the time span does not include the delivery.
        state.sent(at: clock.now)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if let error { return end(error) }
        if state.completed() { end(nil) } else { innerChains.dispose(source) }
    }

    @usableFromInline
    override func tick() {
        if let element = state.due() { send(element) }
        if state.hasCompleted { end(nil) }
    }
}
