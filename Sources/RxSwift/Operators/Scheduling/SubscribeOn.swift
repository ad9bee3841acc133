internal import CRxCore

extension ObservableType {
    /// Subscribes to this sequence, and disposes of that subscription, on `scheduler`.
    ///
    ///     source:                --1--2--|   on the queue, here 1 column later
    ///     subscribe(on: queue): ---1--2--|
    ///
    /// ![The source is subscribed a little later, on the queue](marble-subscribe-on)
    ///
    /// Events come on whichever thread the source chooses; see ``observe(on:)`` for those. Disposed of, the loop of a
    /// cold source ends at once, wherever it runs; what there is to tear down waits for `scheduler`, unless that has
    /// been shut down. A source that ends is torn down where it ends. Above a shared source, a group or a window a loop
    /// does not end by that, for others may listen to it; one that never ends then keeps `scheduler`, as each does in
    /// RxSwift.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below, and goes on on `scheduler`.
    ///
    /// - Parameter scheduler: where the source is subscribed to and disposed of.
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

    /// Subscribes to this sequence on `scheduler`.
    ///
    /// As ``subscribe(on:)``.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

@usableFromInline
final class SubscribeOn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType
    /// Whether the source is of a type of its own, which does not dispose itself at its end, as RxTest's are.
    let isForeign: Bool

    @usableFromInline
    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType, isForeign: Bool) {
        self.source = source
        self.scheduler = scheduler
        self.isForeign = isForeign
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SubscribeOn<Element>.self)
            let upper = SinkDisposer()
            let hop = Hop(upper)
            assembly.feed(fromListening: hop)
            let scope = assembly.scope.map { FlowScope($0.buffering, home: FlowHome(me.scheduler)) }
            DeadlockDetector.hop(to: me.scheduler, from: upper, into: assembly.disposer)
            // The scheduled action is the only user of `sink` and `source`. A scheduler may be used from any thread.
            nonisolated(unsafe) let sink = PassingSink(upper, assembly.takeTop(for: Element.self))
            nonisolated(unsafe) let scheduler = me.scheduler
            let subscription = hop.subscription
            let source = ContextSource.capturing(for: me.source)
            // What ends by itself is disposed at once, as an operator disposes what is above it. A foreign source is
            // left to the scheduler.
            if me.isForeign { _ = sink.handDisposalOver() }
            let start = SingleAssignmentDisposable()
            hop.subscription.disposable = start
            start.setDisposable(
                scheduler.schedule(()) { _ in
                    guard crx_state_is_live(upper.chain) else { return Disposables.create() }
                    source.subscribe(last: sink, upper, scope: scope)
                    subscription.disposable = ScheduledDisposable(scheduler: scheduler, disposable: upper)
                    return Disposables.create()
                })
            return nil
        }
    }
}
