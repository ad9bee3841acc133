public import Dispatch

/// Guards: `state` is used first by the subscribing thread, then by the thread that owns the gate.
@usableFromInline
final class WindowCoordinator<Element>: TimedCoordinator, SourceCoordinator {
    @usableFromInline
    typealias Output = Observable<Element>

    @usableFromInline
    let timeSpan: RxTimeInterval
    @usableFromInline
    let upstream: RefCountedUpstream
    @usableFromInline
    @exclusivity(unchecked)
    var state: WindowState<Element>

    @inlinable
    init(
        _ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ timer: SerialDisposable,
        _ upstream: RefCountedUpstream,
        _ timeSpan: RxTimeInterval, _ state: WindowState<Element>
    ) {
        self.timeSpan = timeSpan
        self.upstream = upstream
        self.state = state
        super.init(&context, scheduler, timer, upstream)
    }

    @inlinable
    func open() {
        let ended = state.ended
        deliver(upstream.counted(state.window))
        // If the observer makes the source fill the window, that nested call sets the timer.
        if ended == state.ended { setTimer(timeSpan) }
    }

    @inlinable
    func next(_ element: Element) {
        // Retained here, because an observer may make the operator replace `state.window`.
        let window = state.window
        withExtendedLifetime(window) { window.onNext(element) }
        guard state.delivered() else { return }
        callOff()
        tick()
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        let window = state.window
        withExtendedLifetime(window) { window._end(error) }
        end(error)
        innerChains.dispose(source)
    }

    @inlinable
    override func tick() {
        let ended = state.end()
        let window = state.window
        withExtendedLifetime(window) { window._end(nil) }
        // If an observer has ended the window, that nested call has opened the next one.
        guard ended == state.ended else { return }
        state.window = PublishSubject()
        open()
    }
}
