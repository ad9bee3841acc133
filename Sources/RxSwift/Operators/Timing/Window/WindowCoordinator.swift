public import Dispatch

/// Guards: `state` and `window` are the gate's owner's, but before the source is subscribed.
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
    var state: WindowState
    @usableFromInline
    @exclusivity(unchecked)
    var window = PublishSubject<Element>()

    @inlinable
    init(
        _ assembly: inout Assembly, _ scheduler: any SchedulerType, _ timer: SerialDisposable,
        _ upstream: RefCountedUpstream,
        _ timeSpan: RxTimeInterval, _ state: WindowState
    ) {
        self.timeSpan = timeSpan
        self.upstream = upstream
        self.state = state
        super.init(&assembly, scheduler, timer, upstream)
    }

    /// Hands the window out and starts its span.
    @inlinable
    func open() {
        let ended = state.ended
        deliver(upstream.counted(window))
        // The observer may have filled it already.
        if ended == state.ended { setTimer(timeSpan) }
    }

    @inlinable
    func next(_ element: Element) {
        // Kept meanwhile, here and below: what an observer of it does may put the next one in its place.
        let window = window
        withExtendedLifetime(window) { window.onNext(element) }
        guard state.delivered() else { return }
        callOff()
        tick()
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        let window = window
        withExtendedLifetime(window) { window._end(error) }
        end(error)
        innerChains.dispose(source)
    }

    @inlinable
    override func tick() {
        let ended = state.end()
        let window = window
        withExtendedLifetime(window) { window._end(nil) }
        // An observer of it may have ended the next one already.
        guard ended == state.ended else { return }
        self.window = PublishSubject()
        open()
    }
}
