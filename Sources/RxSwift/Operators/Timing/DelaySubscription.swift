internal import CRxCore
public import Dispatch

extension ObservableType {
    /// Subscribes to this sequence after `dueTime`.
    ///
    ///     source:                          --1--2--|
    ///     delaySubscription(3 columns): -----1--2--|
    ///
    /// ![The source starts later](marble-delay-subscription)
    ///
    /// Events are delivered on the thread of the source. An error is passed on.
    ///
    /// If the result is disposed of while this sequence's `subscribe` is running, this sequence stops. Its teardown
    /// runs after `subscribe` has returned.
    ///
    /// [Pausing](doc:BoundedMemory): the delay continues. The source pauses with the downstream chain, and starts
    /// paused if the delay ends during a pause.
    ///
    /// - Parameters:
    ///   - dueTime: the delay.
    ///   - scheduler: measures the time, and subscribes to the source.
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
        super.init { base, context in
            let me = unsafeDowncast(base, to: DelaySubscription<Element>.self)
            // The source has its own chain, so that its teardown runs before those of the downstream stages.
            let upper = ChainLifetime()
            let later = ScheduledSubscription(upper)
            context.feed(fromListening: later)
            // Only the scheduled action uses `sink`.
            nonisolated(unsafe) let sink = PassingSink(upper, context.takeTop(for: Element.self))
            later.subscription.disposable = me.scheduler.scheduleRelative((), dueTime: me.dueTime) {
                [source = ContextSource.capturing(for: me.source), scope = context.scope] _ in
                if crx_lifetime_is_live(upper.chain) { source.subscribe(last: sink, upper, scope: scope) }
                return upper
            }
            return nil
        }
    }
}
