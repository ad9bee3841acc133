/// A source that sends given events at given virtual times and records its subscriptions.
// @unchecked Sendable because every property, including those of subclasses, is constant or has a lock.
public class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    let scheduler: TestScheduler
    private let script: [Recorded<Event<Element>>]
    private let log = Locked<[Subscription]>([])

    init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        script = recordedEvents
    }

    /// The events that this source sends.
    public var recordedEvents: [Recorded<Event<Element>>] { script }

    /// The subscriptions so far, in the order in which they began.
    public var subscriptions: [Subscription] {
        log.withLock { $0 }
    }

    /// Subscribes an observer. Only a disposal ends the subscription, not a terminal event.
    public func subscribe<Observer: ObserverType>(_: Observer) -> any Disposable where Observer.Element == Element {
        fatalError("TestableObservable is abstract: createHotObservable and createColdObservable make its kinds")
    }

    /// Records the start of a subscription. Returns a closure that records its end.
    final func noteSubscription() -> @Sendable () -> Void {
        let begin = scheduler.clock
        let index = log.withLock { log in
            log.append(Subscription(begin))
            return log.count - 1
        }
        return { [log, scheduler] in
            let end = scheduler.clock
            log.withLock { $0[index] = Subscription(begin, end) }
        }
    }
}
