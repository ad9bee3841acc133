/// Guards: `state` is the gate's owner's.
@usableFromInline
final class ThrottleCoordinator<Output>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    @exclusivity(unchecked)
    var state: ThrottleState<Output>

    @usableFromInline
    init(_ assembly: inout Assembly, _ scheduler: any SchedulerType, _ state: ThrottleState<Output>) {
        self.state = state
        super.init(&assembly, scheduler)
    }

    /// It goes on while the chain below is paused, and keeps the latest.
    @inlinable
    var passesSource: Bool { false }

    @usableFromInline
    override var waitsForResume: Bool { true }

    @inlinable
    func next(_ element: Output) {
        // Released at the end of this function, when the state is at rest.
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
        // Only now, so that an observer that takes long is given the whole span.
        state.sent(at: clock.now)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        if let error { return end(error) }
        if state.completed() { end(nil) } else { innerChains.dispose(source) }
    }

    @usableFromInline
    override func tick() {
        if let element = state.due() { send(element) }
        if state.hasCompleted { end(nil) }
    }
}
