internal import CRxCore

extension ObservableType {
    /// Subscribes to this sequence, and disposes of that subscription, on `scheduler`.
    ///
    /// Events come on whichever thread the source chooses; see ``observe(on:)`` for those.
    ///
    /// - Parameter scheduler: where the source is subscribed to and disposed of.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SubscribeOn(asObservable(), scheduler)
    }

    /// Subscribes to this sequence on `scheduler`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

private final class SubscribeOn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType

    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SubscribeOn<Element>.self)
            let subscription = SerialDisposable()
            assembly.adopt(subscription)
            let start = SingleAssignmentDisposable()
            subscription.disposable = start
            let upper = SinkDisposer()
            WaitScout.hop(to: me.scheduler, from: upper, into: assembly.disposer)
            let sink = PassingSink(upper, assembly.sink(of: Element.self))
            start.setDisposable(
                me.scheduler.schedule(()) { [source = me.source, scheduler = me.scheduler] _ in
                    source.subscribe(last: sink, upper)
                    subscription.disposable = ScheduledDisposable(scheduler: scheduler, disposable: upper)
                    return Disposables.create()
                })
            return nil
        }
    }
}

/// Ends the chain above it without disposing it: that is the scheduler's to do, once the chain below is disposed.
private final class PassingSink<Element>: LastSink<Element> {
    let down: Sink<Element>

    init(_ disposer: SinkDisposer, _ down: Sink<Element>) {
        self.down = down
        super.init(disposer) { base, element in
            let down = unsafeDowncast(base, to: PassingSink<Element>.self).down
            down.push(down, element)
        }
        _ = handDisposalOver()
    }

    deinit {
        down.sourceIsGone()
    }

    override func finish(_ error: (any Error)?) {
        down.end(error)
    }
}
