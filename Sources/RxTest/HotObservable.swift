/// Fires at its times, whoever listens. An observer that is disposed of before its turn does not get the event, one that is added while
/// an event is on its way does not get that one.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {  // as its base says
    private let audience = Audience()

    override init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        super.init(scheduler: scheduler, recordedEvents: recordedEvents)
        for recorded in recordedEvents {
            scheduler.scheduleAt(recorded.time) { [audience] in audience.send(recorded.value) }
        }
    }

    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element {
        let key = audience.add(observer.on)
        let noteEnd = noteSubscription()
        return Disposables.create { [audience] in
            audience.remove(key)
            noteEnd()
        }
    }

    /// The observers, apart from the source: the scheduler holds them while events are due, and they do not hold the scheduler.
    private final class Audience {
        private struct State {
            var nextKey = 0
            /// Ascending by key, which is the order of subscription.
            var members: [(key: Int, observe: (Event<Element>) -> Void)] = []
        }

        private let state = Locked(State())

        func add(_ observe: @escaping (Event<Element>) -> Void) -> Int {
            state.withLock { state in
                state.nextKey += 1
                state.members.append((state.nextKey, observe))
                return state.nextKey
            }
        }

        func remove(_ key: Int) {
            // Returned, so that the observer is released after the lock.
            _ = state.withLock { state in
                state.members.firstIndex { $0.key == key }.map { state.members.remove(at: $0) }
            }
        }

        func send(_ event: Event<Element>) {
            for member in state.withLock({ $0.members }) where contains(member.key) {
                member.observe(event)
            }
        }

        private func contains(_ key: Int) -> Bool {
            state.withLock { $0.members.contains { $0.key == key } }
        }
    }
}
