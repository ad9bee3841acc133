internal import CRxCore

extension ObservableType {
    /// Subscribes to this sequence, and disposes of the subscription, on `scheduler`.
    ///
    ///     source:                --1--2--|   on the queue, here 1 column later
    ///     subscribe(on: queue): ---1--2--|
    ///
    /// ![The source starts a little later, on the queue](marble-subscribe-on)
    ///
    /// Events are delivered on the sending thread. Disposal, on any thread, stops the loop of a cold source at once. A
    /// loop that feeds a shared sequence, a group or a window continues, because these may have other observers. If
    /// such a loop never ends, it occupies `scheduler`. The teardown runs on `scheduler`, unless `scheduler` has been
    /// shut down. If the source ends by itself, its teardown runs on the thread of the terminal event.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain, and resumes on `scheduler`.
    ///
    /// ## See Also
    ///
    /// - <doc:SchedulersOnLinux>
    /// - [subscribeon on reactivex.io](https://reactivex.io/documentation/operators/subscribeon.html)
    @inlinable
    @inline(never)
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SubscribeOn(asObservable(), scheduler, isForeign: !(self is Observable<Element>))
    }

    /// Like ``subscribe(on:)``.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

@usableFromInline
final class SubscribeOn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType
    /// Whether the source is not an ``Observable``.
    let isForeign: Bool

    @usableFromInline
    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType, isForeign: Bool) {
        self.source = source
        self.scheduler = scheduler
        self.isForeign = isForeign
        super.init { base, context in
            let me = unsafeDowncast(base, to: SubscribeOn<Element>.self)
            let upper = ChainLifetime()
            let later = ScheduledSubscription(upper)
            context.feed(fromListening: later)
            let scope = context.scope(on: me.scheduler)
            DeadlockDetector.boundary(to: me.scheduler, from: upper, into: context.lifetime)
            // Only the action uses `sink`. Any thread may use a scheduler.
            nonisolated(unsafe) let sink = PassingSink(upper, context.takeTop(for: Element.self))
            nonisolated(unsafe) let scheduler = me.scheduler
            let subscription = later.subscription
            let source = ContextSource.capturing(for: me.source)
            // When an ``Observable`` ends, it is disposed of at once. Any other source is disposed of on the scheduler.
            if me.isForeign { _ = sink.handDisposalOver() }
            let start = SingleAssignmentDisposable()
            later.subscription.disposable = start
            start.setDisposable(
                scheduler.schedule(()) { _ in
                    guard crx_lifetime_is_live(upper.chain) else { return Disposables.create() }
                    source.subscribe(last: sink, upper, scope: scope)
                    subscription.disposable = ScheduledDisposable(scheduler: scheduler, disposable: upper)
                    return Disposables.create()
                })
            return nil
        }
    }
}
