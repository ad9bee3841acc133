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
            // A chain of its own, because it comes late: what it adopts is torn down in its place, before what the stages below have adopted.
            let upper = SinkDisposer()
            let sink = LateSink(upper, assembly.sink(of: Element.self))
            assembly.feed(from: upper)
            upper.adopt(
                me.scheduler.scheduleRelative((), dueTime: me.dueTime) { [source = me.source] _ in
                    source.subscribe(last: sink, upper)
                    return Disposables.create()
                })
            return nil
        }
    }
}

/// Hands on what the source sends.
private final class LateSink<Element>: LastSink<Element> {
    let down: Sink<Element>

    init(_ disposer: SinkDisposer, _ down: Sink<Element>) {
        self.down = down
        super.init(disposer) { base, element in
            let down = unsafeDowncast(base, to: LateSink<Element>.self).down
            down.push(down, element)
        }
    }

    override func finish(_ error: (any Error)?) {
        down.end(error)
    }
}
