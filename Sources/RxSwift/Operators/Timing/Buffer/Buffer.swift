public import Dispatch

extension ObservableType {
    /// The elements of one span of time after the other, or as many as there are of them, whichever is full first.
    ///
    ///     source:                      --1-2-3--------4-|
    ///     buffer(6 columns, count: 2): ----[1,2]-----[3]-([4]|)
    ///
    /// A span begins when the one before has been delivered; an array may be empty. The completion sends what there is;
    /// an error drops it.
    ///
    /// The end of a span comes on `scheduler`, all else as the source sends it; events are delivered one at a time.
    ///
    /// - Parameters:
    ///   - timeSpan: the span.
    ///   - count: how many elements end a span early; 0 for any number.
    ///   - scheduler: what measures the time.
    @inlinable
    @inline(never)
    public __consuming func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        Buffer(asObservable(), timeSpan, count, scheduler)
    }
}

@usableFromInline
final class Buffer<Element>: Observable<[Element]>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let timeSpan: RxTimeInterval
    @usableFromInline
    let count: Int
    @usableFromInline
    let scheduler: any SchedulerType

    @inlinable
    init(_ source: Observable<Element>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
        self.source = source
        self.timeSpan = timeSpan
        self.count = count
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Buffer<Element>.self)
            let junction = BufferJunction<Element>(&assembly, me.scheduler, me.timeSpan, BufferState(count: me.count))
            junction.setTimer(me.timeSpan)
            me.source.subscribe(child: SourceChild(junction), in: junction.children)
            return nil
        }
    }
}
