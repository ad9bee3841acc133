internal import CRxCore
public import Dispatch

extension ObservableType where Element: RxAbstractInteger {
    /// A sequence that counts from zero, once each period.
    ///
    ///     interval(2 columns): --0-1-2-3-
    ///
    /// ![A count that grows at each tick](marble-interval)
    ///
    /// Paused, it counts on and sends nothing. It neither completes nor fails.
    ///
    /// - Parameters:
    ///   - period: the span before the first element, and between two.
    ///   - scheduler: what measures the time and sends the elements.
    ///
    /// ## See Also
    ///
    /// - [interval on reactivex.io](https://reactivex.io/documentation/operators/interval.html)
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        PeriodicTimer(dueTime: period, period: period, scheduler)
    }

    /// A sequence that sends zero after a span of time and then completes, or goes on counting with a period.
    ///
    ///     timer(4 columns):                    ----(0|)
    ///     timer(4 columns, period: 2 columns): ----0-1-2-3-
    ///
    /// ![One tick after a span, or ticks from then on](marble-timer)
    ///
    /// It sends on `scheduler`, and cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): with a period it counts on, and sends nothing until the resume; without one its
    /// element comes in its time all the same.
    ///
    /// - Parameters:
    ///   - dueTime: the span before the first element.
    ///   - period: the span between two elements; without one there is one element.
    ///   - scheduler: what measures the time and sends the elements.
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
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: OneOffTimer<Element>.self)
            assembly.restoreContext(for: Element.self)
            let fire = unchecked { (sink: Sink<Element>) -> any Disposable in
                sink.push(sink, 0)
                sink.end(nil)
                return Disposables.create()
            }
            let action = me.scheduler.scheduleRelative(
                assembly.takeTop(for: Element.self), dueTime: me.dueTime, action: fire)
            assembly.adopt(action)
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
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: PeriodicTimer<Element>.self)
            assembly.restoreContext(for: Element.self)
            // A gate, because on a concurrent scheduler a tick may come while the one before is delivered.
            let observer = SerializedObserver(assembly.takeTop(for: Element.self))
            assembly.feed(from: observer)
            let tick =
                assembly.scope == nil
                ? { observer.enter($0) } : heeding(assembly.disposer) { observer.enter($0) }
            let step = unchecked { (count: Element) -> Element in
                tick(count)
                return count &+ 1
            }
            let ticks = me.scheduler.schedulePeriodic(
                0 as Element, startAfter: me.dueTime, period: me.period, action: step)
            assembly.adopt(ticks)
            return nil
        }
    }
}

/// A tick that is left out while the chain is paused.
private func heeding<Element>(_ disposer: SinkDisposer, _ tick: @escaping (Element) -> Void) -> (Element) -> Void {
    _ = crx_state_fetch_or_acq_rel(disposer.chain, CRX_CHAIN_HEEDS)
    return { [weak disposer] count in
        guard let disposer, crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_REASONS == 0 else { return }
        tick(count)
    }
}
