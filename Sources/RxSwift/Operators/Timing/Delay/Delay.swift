public import Dispatch

extension ObservableType {
    /// The elements and the completion, each a span of time later. An error is not delayed, and drops what waits.
    ///
    ///     source:           --1-2----3--|
    ///     delay(3 columns): -----1-2----3--|
    ///
    /// ![The same elements later](marble-delay)
    ///
    /// Elements come on `scheduler`, an error on the thread that sends it, or after the delivery under way. What waits
    /// is unbounded, but for ``bounded(_:)``, and is freed at the end. The subscription to the source ends with the
    /// source, whether or not its last elements have been delivered.
    ///
    /// [Pausing](doc:BoundedMemory): a boundary. What is due stays; the source pauses when as many elements wait as its
    /// bound says, and never without one. An error still overtakes them.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time and sends the elements.
    ///
    /// ## See Also
    ///
    /// - ``delaySubscription(_:scheduler:)``
    /// - [delay on reactivex.io](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    @inline(never)
    public __consuming func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Delay(asObservable(), dueTime, scheduler)
    }
}

@usableFromInline
final class Delay<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    let scheduler: any SchedulerType

    @inlinable
    init(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Delay<Element>.self)
            assembly.restoreContext(for: Element.self)
            let upper = SinkDisposer()
            if let buffering = assembly.bounds(nil) {
                me.subscribe(upper, buffering, &assembly)
                return nil
            }
            assembly.feed(from: upper)
            me.source.subscribe(last: DelaySink<Element>(upper, me.dueTime, me.scheduler, &assembly), upper)
            return nil
        }
    }

    /// Subscribes to the source with a bound on what waits.
    @usableFromInline
    func subscribe(_ upper: SinkDisposer, _ buffering: Buffering, _ assembly: inout Assembly) {
        let boundary = BoundarySource("delay", buffering, upper, assembly.disposer)
        let home = FlowHome(scheduler)
        let scope = assembly.handOn(buffering, home: home)
        assembly.feed(from: boundary)
        let bound = DelayBound(buffering, boundary, home)
        source.subscribe(last: DelaySink<Element>(upper, dueTime, scheduler, &assembly, bound), upper, scope: scope)
    }
}
