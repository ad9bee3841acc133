extension ObservableType where Element: RxAbstractInteger {
    /// A sequence of `count` successive integers from `start`.
    ///
    ///     range(start: 3, count: 3): --3-4-5-|   on a scheduler, here an action every 2 columns
    ///
    /// ![Numbers in a row](marble-range)
    ///
    /// The sequence completes after the last number, and cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): the loop stops before its next element.
    ///
    /// - Parameters:
    ///   - start: the first integer.
    ///   - count: the number of integers, not negative. `start + count - 1` must not overflow.
    ///   - scheduler: runs the loop, as in ``from(_:scheduler:)-(Sequence,_)``.
    ///
    /// ## See Also
    ///
    /// - [range on reactivex.io](https://reactivex.io/documentation/operators/range.html)
    @inlinable
    @inline(never)
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Range(start, count, scheduler)
    }
}

@usableFromInline
final class Range<Element: RxAbstractInteger>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let start: Element
    @usableFromInline
    let count: Element
    @usableFromInline
    let scheduler: any ImmediateSchedulerType

    @inlinable
    init(_ start: Element, _ count: Element, _ scheduler: any ImmediateSchedulerType) {
        if count < 0 { rxFatalError("count can't be negative", operator: "range", argument: "count", value: count) }
        if count > 0, start.addingReportingOverflow(count - 1).overflow {
            rxFatalError("overflow of count", operator: "range", argument: "count", value: count)
        }
        self.start = start
        self.count = count
        self.scheduler = scheduler
        super.init { base, context in
            let me = unsafeDowncast(base, to: Range<Element>.self)
            RangeLoop(context.takeTop(for: Element.self), me.start, me.count).start(on: me.scheduler, context)
            return nil
        }
    }
}

@usableFromInline
final class RangeLoop<Element: RxAbstractInteger>: ColdLoop<Element>, @unchecked Sendable {  // see ColdLoop
    @usableFromInline
    @exclusivity(unchecked)
    var rest: (next: Element, count: Element)

    @inlinable
    init(_ sink: Sink<Element>, _ start: Element, _ count: Element) {
        rest = (start, count)
        super.init(sink) { base, mayGoOn in
            let me = unsafeDowncast(base, to: RangeLoop<Element>.self)
            let sink = me.sink
            repeat {
                guard sink.isLive else { return false }
                guard me.rest.count > 0 else {
                    sink.end(nil)
                    return false
                }
                let element = me.rest.next
                me.rest.count -= 1
                me.rest.next &+= 1
                sink.push(sink, element)
            } while mayGoOn && !Trampoline.hasWaiting
            return true
        }
    }
}
