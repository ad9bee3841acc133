internal import CRxCore
public import Dispatch

extension ObservableType {
    /// Subscribes to this sequence after a span of time.
    ///
    ///     source:                          --1--2--|
    ///     delaySubscription(3 columns): -----1--2--|
    ///
    /// ![The source is subscribed later](marble-delay-subscription)
    ///
    /// Disposed of before, it never subscribes. Disposed of by what the source sends while it is subscribed to, the
    /// source is told to end at once, and what it has to tear down follows when its `subscribe` has returned.
    ///
    /// Events stay on the thread on which they come; an error is handed on.
    ///
    /// [Pausing](doc:BoundedMemory): the delay runs on; the source pauses with what is below, from its start if need
    /// be.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time, and where the source is subscribed to.
    ///
    /// ## See Also
    ///
    /// - [delay on reactivex.io](https://reactivex.io/documentation/operators/delay.html)
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        DelaySubscription(asObservable(), dueTime, scheduler)
    }
}

private final class DelaySubscription<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    let source: Observable<Element>
    let dueTime: RxTimeInterval
    let scheduler: any SchedulerType

    init(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: DelaySubscription<Element>.self)
            // A chain of its own, because it comes late: what it adopts is torn down in its place, before what the
            // stages below have adopted.
            let upper = SinkDisposer()
            let hop = Hop(upper)
            assembly.feed(fromListening: hop)
            // The scheduled action is the only user of `sink`.
            nonisolated(unsafe) let sink = PassingSink(upper, assembly.takeTop(for: Element.self))
            hop.subscription.disposable = me.scheduler.scheduleRelative((), dueTime: me.dueTime) {
                [source = ContextSource.capturing(for: me.source), scope = assembly.scope] _ in
                if crx_state_is_live(upper.chain) { source.subscribe(last: sink, upper, scope: scope) }
                return upper
            }
            return nil
        }
    }
}
