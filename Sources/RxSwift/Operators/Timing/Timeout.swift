public import Dispatch

extension ObservableType {
    /// Fails with ``RxError/timeout`` if the source sends no element for `dueTime`.
    ///
    ///     source:             --1--2-------3--|
    ///     timeout(4 columns): --1--2---#
    ///
    /// ![An error when the source is silent for too long](marble-timeout)
    ///
    /// The time starts at the subscription, and again after the delivery of each element. The error is sent on
    /// `scheduler`; other events are delivered on the thread of the source.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain, and the time stops. On resume, the
    /// whole `dueTime` starts again.
    ///
    /// ## See Also
    ///
    /// - [timeout on reactivex.io](https://reactivex.io/documentation/operators/timeout.html)
    @inlinable
    @inline(never)
    public __consuming func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(dueTime, orElse: nil, scheduler)
    }

    /// Continues with `other` if the source sends no element for `dueTime`.
    ///
    ///     source:                            --1--2-------3--|
    ///     timeout(4 columns, other: --9--|): --1--2-----9--|
    ///
    /// ![Another sequence when the source is silent for too long](marble-timeout-other)
    ///
    /// The time limit is that of ``timeout(_:scheduler:)``, and applies only to the source. When `dueTime` has passed,
    /// `other` is subscribed to on `scheduler`. Then the subscription to the source is disposed of. An error of either
    /// sequence fails the result.
    ///
    /// [Pausing](doc:BoundedMemory): as in ``timeout(_:scheduler:)``.
    @inlinable
    @inline(never)
    public __consuming func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Element == Source.Element {
        timeout(dueTime, orElse: other.asObservable(), scheduler)
    }

    @inlinable
    __consuming func timeout(
        _ dueTime: RxTimeInterval, orElse other: Observable<Element>?, _ scheduler: any SchedulerType
    ) -> Observable<Element> {
        let source = asObservable()
        return Observable { _, context in
            let coordinator = TimeoutCoordinator<Element>(&context, scheduler, dueTime, other)
            let sink = InnerObserver<SourceHandler>(coordinator)
            coordinator.source = sink.lifetime
            coordinator.setTimer(dueTime)
            source.subscribe(inner: sink)
            return nil
        }
    }
}

/// Guards: `source` and `hasSwitched` are used first by the subscribing thread, then by the thread that owns the gate.
@usableFromInline
final class TimeoutCoordinator<Output>: TimedCoordinator, SourceCoordinator, OtherCoordinator {
    @usableFromInline
    let dueTime: RxTimeInterval
    private let other: Observable<Output>?
    @usableFromInline
    var source: InnerLifetime?
    /// Whether `other` has replaced the source. The source is disposed of after the subscription to `other`; until
    /// then, the source's events are dropped.
    @usableFromInline
    @exclusivity(unchecked)
    var hasSwitched = false

    @usableFromInline
    init(
        _ context: inout SubscribeContext, _ scheduler: any SchedulerType, _ dueTime: RxTimeInterval,
        _ other: Observable<Output>?
    ) {
        self.dueTime = dueTime
        self.other = other
        super.init(&context, scheduler)
    }

    @usableFromInline
    override func resumed() {
        if !hasSwitched && isLive { setTimer(dueTime) }
    }

    @inlinable
    func next(_ element: Output) {
        guard !hasSwitched else { return }
        callOff()
        deliver(element)
        if isLive { setTimer(dueTime) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if !hasSwitched { end(error) }
    }

    @inlinable
    @inline(__always)
    func next(other element: Output, _: InnerLifetime) {
        deliver(element)
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _: InnerLifetime) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        guard let other else { return end(RxError.timeout) }
        guard isLive else { return }
        hasSwitched = true
        let sink = InnerObserver<OtherHandler<TimeoutCoordinator>>(self, InnerLifetime(subscribing: ()))
        other.subscribe(successor: sink, sink.lifetime, in: innerChains)
        if let source = source.take() { innerChains.dispose(source) }
    }
}
