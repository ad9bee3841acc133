final class ColdObservable<Element>: TestableObservable<Element>, @unchecked Sendable {  // see the base class
    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let listener = Locked<((Event<Element>) -> Void)?>(observer.on)
        let noteEnd = noteSubscription()
        // After a disposal, the remaining events stay queued. So the clock advances to the last scheduled time, as in
        // RxSwift.
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
