public import Dispatch

extension ObservableType {
    /// Delays the elements and the completion by `dueTime`. If the source fails, the error is sent at once, and the
    /// waiting elements are dropped.
    ///
    ///     source:           --1-2----3--|
    ///     delay(3 columns): -----1-2----3--|
    ///
    /// ![The same elements later](marble-delay)
    ///
    /// Elements and the completion are delivered on `scheduler`. An error is delivered on the sending thread. If
    /// another thread is delivering at that time, that thread delivers the error afterwards. When the source ends, the
    /// subscription to it ends, even if elements still wait. Only ``bounded(_:)`` limits the number of waiting
    /// elements.
    ///
    /// [Pausing](doc:BoundedMemory): elements that are due during a pause wait. The source pauses only at the bound of
    /// ``bounded(_:)``. An error is not delayed by a pause.
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
