/// Fires at its times, whether or not somebody listens. An observer that is disposed of before its turn does not get
/// the event, one that is added while an event is on its way does not get that one.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {  // as its base says
    /// Takes terminal events as elements, because none of them ends a subscription. The scheduler holds it while events
    /// are due, and it does not hold the scheduler.
    private let audience = PublishSubject<Event<Element>>()

    override init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        super.init(scheduler: scheduler, recordedEvents: recordedEvents)
        for recorded in recordedEvents {
            scheduler.scheduleAt(recorded.time) { [audience] in audience.onNext(recorded.value) }
        }
    }

    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let subscription = audience.subscribe(onNext: unchecked(observer.on))
        let noteEnd = noteSubscription()
        return Disposables.create(subscription, Disposables.create(with: noteEnd))
    }
}
