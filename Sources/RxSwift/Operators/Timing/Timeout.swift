public import Dispatch

extension ObservableType {
    /// The elements, and ``RxError/timeout`` as soon as none has come for a span of time.
    ///
    ///     source:             --1--2-------3--|
    ///     timeout(4 columns): --1--2---#
    ///
    /// The first span begins with the subscription, each other one when an element has been delivered.
    /// The end of a span comes on `scheduler`, all else as the source sends it; events are delivered one at a time.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Timeout(asObservable(), dueTime, nil, scheduler)
    }

    /// The elements, and those of `other` as soon as none has come for a span of time.
    ///
    ///     source:                                --1--2-------3--|
    ///     timeout(4 columns, other: --9--|): --1--2-----9--|
    ///
    /// The first span begins with the subscription, each other one when an element has been delivered. At its end
    /// `other` is subscribed to, on `scheduler`, and the source is disposed of after that. `other` may take as long as
    /// it likes.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - other: what comes in place of the source.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Element == Source.Element {
        Timeout(asObservable(), dueTime, other.asObservable(), scheduler)
    }
}

@usableFromInline
final class Timeout<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    let other: Observable<Element>?
    @usableFromInline
    let scheduler: any SchedulerType

    @inlinable
    init(
        _ source: Observable<Element>, _ dueTime: RxTimeInterval, _ other: Observable<Element>?,
        _ scheduler: any SchedulerType
    ) {
        self.source = source
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Timeout<Element>.self)
            let junction = TimeoutJunction<Element>(&assembly, me.scheduler, me.dueTime, me.other)
            let child = SourceChild(junction)
            junction.source = child.disposer
            junction.setTimer(me.dueTime)
            me.source.subscribe(child: child, in: junction.children)
            return nil
        }
    }
}

/// Guards: `source` and `hasSwitched` are the gate's owner's, but before the source is subscribed.
@usableFromInline
final class TimeoutJunction<Element>: TimedJunction<Element>, SourceJunction, PassingJunction {
    @usableFromInline
    let dueTime: RxTimeInterval
    private let other: Observable<Element>?
    @usableFromInline
    @exclusivity(unchecked)
    var source: ChildDisposer?
    /// The source is disposed only after the other one has been subscribed, and may send until then.
    @usableFromInline
    @exclusivity(unchecked)
    var hasSwitched = false

    @usableFromInline
    init(
        _ assembly: inout Assembly, _ scheduler: any SchedulerType, _ dueTime: RxTimeInterval,
        _ other: Observable<Element>?
    ) {
        self.dueTime = dueTime
        self.other = other
        super.init(&assembly, scheduler)
    }

    @inlinable
    func next(_ element: Element) {
        guard !hasSwitched else { return }
        callOff()
        deliver(element)
        if isLive { setTimer(dueTime) }
    }

    @usableFromInline
    func sourceEnded(_ error: (any Error)?, _ source: ChildDisposer) {
        if !hasSwitched { end(error) }
    }

    @usableFromInline
    func ended(_: ChildDisposer, _ error: (any Error)?) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        guard let other else { return end(RxError.timeout) }
        hasSwitched = true
        let child = PassingChild(self, ChildDisposer(subscribing: ()))
        other.subscribe(successor: child, child.disposer, in: children)
        if let source = source.take() { children.dispose(source) }
    }
}
