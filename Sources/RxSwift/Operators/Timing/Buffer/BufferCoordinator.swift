public import Dispatch

/// Guards: only the thread that owns the gate uses `state`.
@usableFromInline
final class BufferCoordinator<Element>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    typealias Output = [Element]

    @usableFromInline
    let timeSpan: RxTimeInterval
    @usableFromInline
    @exclusivity(unchecked)
    var state: BufferState<Element>

    @inlinable
    init(
        _ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ timeSpan: RxTimeInterval,
        _ state: BufferState<Element>
    ) {
        self.timeSpan = timeSpan
        self.state = state
        super.init(&context, scheduler)
    }

    @inlinable
    func next(_ element: Element) {
        guard state.append(element) else { return }
        callOff()
        tick()
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if error == nil { deliver(state.take()) }
        end(error)
    }

    @inlinable
    override func tick() {
        let elements = state.take()
        let ended = state.ended
        deliver(elements)
        // If the observer makes the source fill the next array, that nested call sets the timer.
        if ended == state.ended && isLive { setTimer(timeSpan) }
    }
}
