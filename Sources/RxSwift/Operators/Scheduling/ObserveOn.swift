internal import CRxCore

extension ObservableType {
    /// Delivers each event, including the terminal event, on `scheduler`, in order.
    ///
    ///     source:             --1--2--3--|
    ///     observe(on: queue): ---1--2--3--|   on the queue, here 1 column later
    ///
    /// ![The same events, a little later on the queue](marble-observe-on)
    ///
    /// When the source ends, the subscription to it ends, even if events still wait. The number of waiting events is
    /// not limited. After a disposal, a waiting event may stay in memory until the scheduler runs the event's job.
    ///
    /// [Pausing](doc:BoundedMemory): nothing is delivered during a pause. The source pauses only if ``bounded(_:)`` or
    /// ``observe(on:buffering:)`` sets a bound.
    ///
    /// ## See Also
    ///
    /// - ``observe(on:buffering:)``
    /// - <doc:SchedulersOnLinux>
    /// - [observeon on reactivex.io](https://reactivex.io/documentation/operators/observeon.html)
    @inlinable
    @inline(never)
    public __consuming func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(asObservable(), scheduler)
    }

    /// Like ``observe(on:)``, with a bound on the waiting elements.
    ///
    ///     prices.observe(on: queue, buffering: .newest(1))  // a slow consumer sees the latest
    ///     rows.observe(on: queue, buffering: .pausing(256)) // a slow consumer pauses the source
    ///
    /// The terminal event, or ``FlowError/overflow(boundary:limit:source:)``, comes after the waiting elements and is
    /// never dropped. Dropped elements are reported to ``Hooks/droppedElementHandler``.
    ///
    /// - Threads: a paused source resumes on the scheduler of the `subscribe(on:)` upstream or, without one, on
    ///   `scheduler`.
    /// - Parameters:
    ///   - scheduler: calls observers and the operators downstream.
    ///   - buffering: the bound, and the policy at the bound. It overrides ``bounded(_:)`` and
    ///     ``Hooks/defaultBuffering``.
    @inlinable
    @inline(never)
    public __consuming func observe(on scheduler: any ImmediateSchedulerType, buffering: Buffering)
        -> Observable<Element>
    {
        ObserveOn(asObservable(), scheduler, buffering.checked(by: "observe(on:buffering:)"))
    }

    /// Like ``observe(on:)``.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler)
    }
}

@usableFromInline
final class ObserveOn<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    @usableFromInline
    let buffering: Buffering?
    @usableFromInline
    let counted: AnyObject?

    @inlinable
    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType, _ buffering: Buffering? = nil) {
        self.source = source
        self.scheduler = scheduler
        self.buffering = buffering
        counted = Resources.isTracing ? Resources.countSerialObservable(on: scheduler) : nil
        super.init { base, context in
            let me = unsafeDowncast(base, to: ObserveOn<Element>.self)
            if let boundary = context.instrumentedBoundary(
                me.source, me.scheduler, { ObserveOn($0, me.scheduler, me.buffering) })
            {
                return boundary
            }
            let down = context.takeTop(for: Element.self)
            let upper = ChainLifetime()
            DeadlockDetector.boundary(to: me.scheduler, from: upper, into: context.lifetime)
            if let buffering = context.bounds(me.buffering) {
                me.subscribe(upper, down, buffering, &context)
                return nil
            }
            context.feed(from: upper)
            if let queue = (me.scheduler as? any BatchingScheduler)?.jobQueue {
                me.source.subscribe(last: BatchingSink(upper, down, queue, of: me.scheduler), upper)
            } else if let scheduler = me.scheduler as? SerialDispatchQueueScheduler {
                me.source.subscribe(last: DispatchSink(upper, down, scheduler), upper)
            } else {
                me.source.subscribe(last: RecursiveSink(upper, down, me.scheduler, context.lifetime), upper)
            }
            return nil
        }
    }
}

@usableFromInline
final class DispatchSink<Element>: TerminalObserver<Element> {
    private let down: Sink<Element>
    private let scheduler: SerialDispatchQueueScheduler

    @usableFromInline
    init(_ lifetime: ChainLifetime, _ down: Sink<Element>, _ scheduler: SerialDispatchQueueScheduler) {
        self.down = down
        self.scheduler = scheduler
        super.init(lifetime) { base, element in
            let me = unsafeDowncast(base, to: DispatchSink<Element>.self)
            if me.scheduler.enter() {
                Unretained(me.down).push(element)
                me.scheduler.leave()
            } else {
                me.schedule(element)
            }
        }
    }

    deinit {
        down.sourceIsGone()
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        schedule(Event(end: error))
    }

    /// Not inlined: the caller must not look up the type metadata of the event.
    @inline(never)
    private func schedule(_ element: Element) {
        schedule(.next(element))
    }

    private func schedule(_ event: Event<Element>) {
        nonisolated(unsafe) let down = down  // the scheduler is serial, so one event at a time uses `down`
        _ = scheduler.schedule(event) { event in
            down.take(event)
            return Disposables.create()
        }
    }
}

/// The stage for a scheduler that has no ``JobQueue`` and is not a ``SerialDispatchQueueScheduler``. The disposal of
/// the downstream chain empties `waiting`, because the source may still retain this stage.
///
/// Guards: `state` is protected by its lock. At most one recursive action runs, and only that action delivers.
@usableFromInline
final class RecursiveSink<Element>: TerminalObserver<Element> {
    private struct State {
        var waiting: [Event<Element>] = []
        /// The number of dequeued events at the front of `waiting`.
        var taken = 0
        var isRunning = false
        var isClosed = false

        mutating func close() -> [Event<Element>] {
            isClosed = true
            taken = 0
            defer { waiting = [] }
            return waiting
        }

        mutating func take() -> Event<Element>? {
            guard taken < waiting.count else {
                isRunning = false
                return nil
            }
            let event = waiting[taken]
            waiting[taken] = .completed
            taken += 1
            if taken == waiting.count || taken > 32 && taken > waiting.count / 2 {
                waiting.removeFirst(taken)
                taken = 0
            }
            return event
        }
    }

    private let down: Sink<Element>
    private let scheduler: any ImmediateSchedulerType
    private let running = SerialDisposable()
    private let state = Locked(State())

    @usableFromInline
    init(
        _ lifetime: ChainLifetime, _ down: Sink<Element>, _ scheduler: any ImmediateSchedulerType,
        _ below: ChainLifetime
    ) {
        self.down = down
        self.scheduler = scheduler
        super.init(lifetime) { base, element in
            unsafeDowncast(base, to: RecursiveSink<Element>.self).schedule(.next(element))
        }
        below.adopt(
            Disposables.create { [running, state] in
                running.dispose()
                let dropped = state.withLock { $0.close() }
                withExtendedLifetime(dropped) {}
            })
    }

    deinit {
        down.sourceIsGone()
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        schedule(Event(end: error))
    }

    private func schedule(_ event: Event<Element>) {
        let isFirst = state.withLock { state in
            if state.isClosed { return false }
            state.waiting.append(event)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        nonisolated(unsafe) let sink = self  // see the guards above
        running.disposable = scheduler.scheduleRecursive(()) { _, recurse in
            guard let event = sink.state.withLock({ $0.take() }), sink.down.isLive else { return }
            sink.down.take(event)
            let hasMore = sink.state.withLock { state in
                state.isRunning = state.taken < state.waiting.count
                return state.isRunning
            }
            if hasMore { recurse(()) }
        }
    }
}

extension Sink {
    @inlinable
    final func take(_ event: Event<Element>) {
        switch event {
        case .next(let element): push(self, element)
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }
}
