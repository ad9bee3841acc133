/// An observer that records what it is told, and the virtual time at which it was. Any thread may tell it and ask it.
public final class TestableObserver<Element>: ObserverType, Sendable {
    let scheduler: TestScheduler
    private let recorded = Locked<[Recorded<Event<Element>>]>([])

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// What it was told so far, what came after an end included.
    public var events: [Recorded<Event<Element>>] {
        recorded.withLock { $0 }
    }

    /// Records an event.
    public func on(_ event: Event<Element>) {
        let item = Recorded(time: scheduler.clock, value: event)
        recorded.withLock { $0.append(item) }
    }
}
