/// An observer that records events with their virtual times. Any thread may send events to it and read them.
public final class TestableObserver<Element>: ObserverType, Sendable {
    let scheduler: TestScheduler
    private let recorded = Locked<[Recorded<Event<Element>>]>([])

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// All events so far, including any after a terminal event.
    public var events: [Recorded<Event<Element>>] {
        recorded.withLock { $0 }
    }

    /// Records an event.
    public func on(_ event: Event<Element>) {
        let item = Recorded(time: scheduler.clock, value: event)
        recorded.withLock { $0.append(item) }
    }
}
