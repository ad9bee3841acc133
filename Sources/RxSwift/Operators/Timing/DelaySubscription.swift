public import Dispatch

extension ObservableType {
    /// Subscribes to this sequence after a span of time.
    ///
    ///     source:                       --1--2--|
    ///     delaySubscription(3 columns): -----1--2--|
    ///
    /// Disposed of before, it never subscribes.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time, and where the source is subscribed to.
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
            // The source joins the same chain, later.
            let (sink, disposer) = (assembly.sink, assembly.disposer)
            disposer.adopt(
                me.scheduler.scheduleRelative((), dueTime: me.dueTime) { [source = me.source] _ in
                    source.subscribe(last: sink, disposer)
                    return Disposables.create()
                })
            return nil
        }
    }
}
