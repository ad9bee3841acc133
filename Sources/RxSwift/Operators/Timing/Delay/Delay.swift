public import Dispatch

extension ObservableType {
    /// The elements and the completion, each delayed by `dueTime`. An error is not delayed, and drops the waiting
    /// elements.
    ///
    ///     source:           --1-2----3--|
    ///     delay(3 columns): -----1-2----3--|
    ///
    /// ![The same elements later](marble-delay)
    ///
    /// Elements and the completion are delivered on `scheduler`. If a delivery is in progress, an error follows it on
    /// the same thread; otherwise it is delivered on the thread that sends it. The subscription to the source ends with
    /// the source, even if elements still wait. Only ``bounded(_:)`` limits their number.
    ///
    /// [Pausing](doc:BoundedMemory): a boundary. During a pause, due elements wait. The source pauses only at the
    /// bound. An error still overtakes them.
    ///
    /// - Parameters:
    ///   - dueTime: the delay.
    ///   - scheduler: measures the time and sends the elements.
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
        super.init { base, context in
            let me = unsafeDowncast(base, to: Delay<Element>.self)
            context.restoreContext(for: Element.self)
            let upper = ChainLifetime()
            if let buffering = context.bounds(nil) {
                me.subscribe(upper, buffering, &context)
                return nil
            }
            context.feed(from: upper)
            me.source.subscribe(last: DelaySink<Element>(upper, me.dueTime, me.scheduler, &context), upper)
            return nil
        }
    }

    @usableFromInline
    func subscribe(_ upper: ChainLifetime, _ buffering: Buffering, _ context: inout SubscribeContext) {
        let boundary = BoundarySource("delay", buffering, upper, on: scheduler, &context)
        let sink = DelaySink<Element>(upper, dueTime, scheduler, &context, DelayBound(boundary))
        source.subscribe(last: sink, upper, scope: boundary.scope)
    }
}
