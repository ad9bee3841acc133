public import Dispatch

extension ObservableType {
    /// The elements after a span of time, which begins with the subscription.
    ///
    ///     source:         --1--2--3--4--|
    ///     skip(7 columns): --------3--4--|
    ///
    /// Ends with the source. Even within a span of zero a source is skipped that emits while it is subscribed.
    ///
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        SkipFor(asObservable(), duration, scheduler)
    }
}

@usableFromInline
final class SkipFor<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let duration: RxTimeInterval
    @usableFromInline
    let scheduler: any SchedulerType

    @inlinable
    init(_ source: Observable<Element>, _ duration: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.duration = duration
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SkipFor<Element>.self)
            let junction = SkipForJunction<Element>(&assembly, me.scheduler)
            junction.setTimer(me.duration)
            me.source.subscribe(child: SourceChild(junction), in: junction.children)
            return nil
        }
    }
}

/// Guards: `isOpen` is the gate's owner's.
@usableFromInline
final class SkipForJunction<Element>: TimedJunction<Element>, SourceJunction {
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @usableFromInline
    override init(_ assembly: inout Assembly, _ scheduler: any SchedulerType) {
        super.init(&assembly, scheduler)
    }

    @inlinable
    func next(_ element: Element) {
        if isOpen { deliver(element) }
    }

    @usableFromInline
    func sourceEnded(_ error: (any Error)?, _ source: ChildDisposer) {
        end(error)
    }

    @usableFromInline
    override func tick() {
        isOpen = true
    }
}
