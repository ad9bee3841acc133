public import Dispatch

extension ObservableType where Element: RxAbstractInteger {
    /// A sequence that counts from zero, once per `period`.
    ///
    ///     interval(2 columns): --0-1-2-3-
    ///
    /// ![A count that grows at each tick](marble-interval)
    ///
    /// The sequence neither completes nor fails.
    ///
    /// [Pausing](doc:BoundedMemory): the count continues, and nothing is sent until the resume.
    ///
    /// - Parameters:
    ///   - period: the time before the first element, and between two elements.
    ///   - scheduler: measures the time and sends the elements.
    ///
    /// ## See Also
    ///
    /// - [interval on reactivex.io](https://reactivex.io/documentation/operators/interval.html)
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        PeriodicTimer(dueTime: period, period: period, scheduler)
    }

    /// A sequence that sends zero after `dueTime`. Then it completes or, with a period, continues to count.
    ///
    ///     timer(4 columns):                    ----(0|)
    ///     timer(4 columns, period: 2 columns): ----0-1-2-3-
    ///
    /// ![One element after a delay, or a count that starts after the delay](marble-timer)
    ///
    /// The sequence cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): with a period, the count continues, and nothing is sent until the resume. A single
    /// element is sent even during a pause.
    ///
    /// - Parameters:
    ///   - dueTime: the time before the first element.
    ///   - period: the time between two elements; nil for a single element.
    ///   - scheduler: measures the time and sends the elements.
    ///
    /// ## See Also
    ///
    /// - ``interval(_:scheduler:)``
    /// - [timer on reactivex.io](https://reactivex.io/documentation/operators/timer.html)
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        if let period {
            PeriodicTimer(dueTime: dueTime, period: period, scheduler)
        } else {
            OneOffTimer(dueTime: dueTime, scheduler)
        }
    }
}

private final class OneOffTimer<Element: RxAbstractInteger>: Observable<Element>, @unchecked Sendable {  // immutable
    let dueTime: RxTimeInterval
    let scheduler: any SchedulerType

    init(dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init { base, context in
            let me = unsafeDowncast(base, to: OneOffTimer<Element>.self)
            context.restoreContext(for: Element.self)
            let action = me.scheduler.once(context.takeTop(for: Element.self), after: me.dueTime) { sink in
                sink.push(sink, 0)
                sink.end(nil)
            }
            context.adopt(action)
            return nil
        }
    }
}

private final class PeriodicTimer<Element: RxAbstractInteger>: Observable<Element>, @unchecked Sendable {  // immutable
    let dueTime: RxTimeInterval
    let period: RxTimeInterval
    let scheduler: any SchedulerType

    init(dueTime: RxTimeInterval, period: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.dueTime = dueTime
        self.period = period
        self.scheduler = scheduler
        super.init { base, context in
            let me = unsafeDowncast(base, to: PeriodicTimer<Element>.self)
            context.restoreContext(for: Element.self)
            // Ticks of a concurrent scheduler may overlap.
            let observer = SerializedObserver(context.takeTop(for: Element.self))
            context.feed(from: observer)
            let ticks = context.ticks(into: observer)
            context.adopt(me.scheduler.periodically(0, startAfter: me.dueTime, period: me.period, ticks))
            return nil
        }
    }
}

// A closure that uses a constrained generic parameter captures the conformance, so the closure is not `@Sendable`.
// Therefore the generic parameters of the functions below have no constraints.
extension SchedulerType {
    fileprivate func once<State>(
        _ state: State, after dueTime: RxTimeInterval, _ body: @escaping (State) -> Void
    ) -> any Disposable {
        nonisolated(unsafe) let body = body  // any thread may run it
        return scheduleRelative(state, dueTime: dueTime) { state in
            body(state)
            return Disposables.create()
        }
    }

    fileprivate func periodically<State>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval, _ body: @escaping (State) -> State
    ) -> any Disposable {
        nonisolated(unsafe) let body = body  // any thread may run it
        return schedulePeriodic(state, startAfter: startAfter, period: period) { body($0) }
    }
}
