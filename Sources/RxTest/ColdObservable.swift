/// Fires for each observer anew, counting from its subscription.
final class ColdObservable<Element>: TestableObservable<Element>, @unchecked Sendable {  // as its base says
    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let listener = Locked<((Event<Element>) -> Void)?>(observer.on)
        let noteEnd = noteSubscription()
        // What is disposed of stays in the scheduler's queue as an empty turn: the clock goes on to the last time
        // scheduled, as RxSwift's.
        for recorded in recordedEvents {
            _ = scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) {
                listener.withLock { $0 }?(recorded.value)
                return Disposables.create()
            }
        }
        return Disposables.create {
            _ = listener.withLock { $0.take() }
            noteEnd()
        }
    }
}
