public import Dispatch

extension ObservableType {
    /// Each element that is followed by nothing for a span of time, at its end.
    ///
    ///     source:              --1-2-3------4--5|
    ///     debounce(3 columns): ---------3------4-(5|)
    ///
    /// The completion sends the element that still waits, at once; an error drops it.
    ///
    /// It keeps one element. What is delivered at the end of a span comes on `scheduler`, the end as the source sends
    /// it; events are delivered one at a time.
    ///
    /// - Parameters:
    ///   - dueTime: the span.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Debounce(asObservable(), dueTime, scheduler)
    }
}

@usableFromInline
final class Debounce<Element>: Observable<Element>, @unchecked Sendable {  // immutable
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
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Debounce<Element>.self)
            let junction = DebounceJunction<Element>(&assembly, me.scheduler, me.dueTime)
            me.source.subscribe(child: SourceChild(junction), in: junction.children)
            return nil
        }
    }
}

/// Guards: `latest` is the gate's owner's.
@usableFromInline
final class DebounceJunction<Element>: TimedJunction<Element>, SourceJunction {
    @usableFromInline
    let dueTime: RxTimeInterval
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Element?

    @usableFromInline
    init(_ assembly: inout Assembly, _ scheduler: any SchedulerType, _ dueTime: RxTimeInterval) {
        self.dueTime = dueTime
        super.init(&assembly, scheduler)
    }

    @inlinable
    func next(_ element: Element) {
        // Released at the end of this function, when the timer is set.
        var evicted: Element? = element
        swap(&latest, &evicted)
        setTimer(dueTime)
    }

    @usableFromInline
    func sourceEnded(_ error: (any Error)?, _ source: ChildDisposer) {
        if error == nil { tick() }
        end(error)
    }

    @usableFromInline
    override func tick() {
        if let element = latest.take() { deliver(element) }
    }
}
