/// An observer that is added while an event is being delivered does not receive that event.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {  // see the base class
    /// Terminal events are sent as elements, because an observer stays subscribed after a terminal event.
    private let audience = PublishSubject<Event<Element>>()

    override init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        super.init(scheduler: scheduler, recordedEvents: recordedEvents)
        for recorded in recordedEvents {
            scheduler.scheduleAt(recorded.time) { [audience] in audience.onNext(recorded.value) }
        }
    }

    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        // Any thread may dispose of the subscription.
        nonisolated(unsafe) let subscription = audience.asObservable().subscribe(observer.on, nil, nil, nil)
        let noteEnd = noteSubscription()
        return Disposables.create {
            subscription.dispose()
            noteEnd()
        }
    }
}
