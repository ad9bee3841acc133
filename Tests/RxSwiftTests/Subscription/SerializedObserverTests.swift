import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct SerializedObserverTests {
    @Test func elementFromAnotherThreadIsDeliveredByDeliveringThread() throws {
        let (log, observer) = (Log(), Kept<Int>())
        let subscription = observer.source.subscribe(onNext: { element in
            log("s\(element)")
            if element == 1 { _ = try? runOnThread { observer.value?.onNext(2) } }
            log("e\(element)")
        })
        observer.value?.onNext(1)
        #expect(log.text == "s1 e1 s2 e2")
        subscription.dispose()
    }

    @Test func reentrantElementIsDeliveredAtOnce() {
        let (log, observer) = (Log(), Kept<Int>())
        let subscription = observer.source.subscribe(onNext: { element in
            log("s\(element)")
            if element == 1 { observer.value?.onNext(2) }
            log("e\(element)")
        })
        observer.value?.onNext(1)
        #expect(log.text == "s1 s2 e2 e1")
        subscription.dispose()
    }

    @Test func eventsAfterEndAreDropped() {
        let (log, observer) = (Log(), Kept<Int>())
        _ = observer.source.note(in: log)
        observer.value?.onCompleted()
        observer.value?.onNext(1)
        observer.value?.onError(TestError.a)
        #expect(log.text == "completed")
    }

    @Test func eventsAfterDisposalAreDropped() {
        let (log, observer) = (Log(), Kept<Int>())
        let subscription = observer.source.note(in: log)
        observer.value?.onNext(1)
        subscription.dispose()
        observer.value?.onNext(2)
        observer.value?.onCompleted()
        #expect(log.text == "1")
    }

    @Test func releasedObserverFreesChain() {
        let (tracker, observer) = (LifetimeTracker(), Kept<Int>())
        let held = Guarded<LifetimeTracker.Tracked?>(tracker.make())
        let subscription = held.withLock { held in observer.source.subscribe(onNext: { [held] _ in _ = held }) }
        held.withLock { $0 = nil }
        #expect(tracker.live == 1)
        observer.value = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func droppedElementIsFreed() {
        let (tracker, observer) = (LifetimeTracker(), Kept<LifetimeTracker.Tracked>())
        observer.source.subscribe(onNext: { _ in }).dispose()
        observer.value?.onNext(tracker.make())
        #expect(tracker.live == 0)
    }

    @Test func deliversOneAtATimeAndLosesNothing() throws {
        let observer = Kept<Int>()
        // `received` has no lock, because the gate admits one thread at a time.
        nonisolated(unsafe) var received: [Int] = []
        let subscription = observer.source.subscribe(onNext: { received.append($0) })
        let sender = observer.value!
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { sender.onNext(index * 5_000 + number) }
        }
        #expect(received.count == 20_000)
        for index in 0..<4 {
            let own = received.filter { $0 / 5_000 == index }
            #expect(own == own.sorted())
        }
        subscription.dispose()
    }

    @Test func concurrentTerminalEventsOnThreadsEndOnce() throws {
        for _ in 0..<1_000 {
            let (log, observer) = (Log(), Kept<Int>())
            let subscription = observer.source.note(in: log)
            let sender = observer.value!
            try runConcurrently(threads: 3) { index in
                if index == 0 { sender.onCompleted() } else { sender.onError(TestError.a) }
            }
            #expect(log.entries.count == 1)
            subscription.dispose()
        }
    }

    @Test func eventsDuringDeliveryOfEndAreDropped() {
        let (log, observer) = (Log(), Kept<Int>())
        let subscription = observer.source.materialize().subscribe(onNext: { event in
            log(event)
            observer.value?.onNext(2)
        })
        observer.value?.onCompleted()
        #expect(log.text == "completed")
        subscription.dispose()
    }

    @Test(arguments: [true, false]) func endSentByOtherThreadFollowsElement(byError: Bool) {
        let (log, observer) = (Log(), Kept<Int>())
        let subscription = observer.source.do(onNext: { element in
            log("s\(element)")
            _ = try? runOnThread {
                if byError { observer.value?.onError(TestError.a) } else { observer.value?.onCompleted() }
            }
            log("e\(element)")
        }).note(in: log)
        observer.value?.onNext(1)
        #expect(log.text == (byError ? "s1 e1 1 error(a)" : "s1 e1 1 completed"))
        subscription.dispose()
    }

    @Test func chainIsFreedOnDisposalWhileObserverIsHeld() {
        let (tracker, observer) = (LifetimeTracker(), Kept<Int>())
        let subscription = observer.source.subscribe(onNext: { [held = tracker.make()] _ in
            withExtendedLifetime(held) {}
        })
        #expect(tracker.live == 1)
        subscription.dispose()
        withExtendedLifetime(observer.value) { #expect(tracker.live == 0) }
    }

    /// Only the pending teardown keeps the chain alive.
    @Test(arguments: [true, false]) func aTeardownIsKeptUntilItIsDisposedOf(isPausable: Bool) {
        let (log, scheduler) = (Log(), TestScheduler(initialClock: 0))
        weak var chain: ChainLifetime?
        do {
            let source = Observable<Int>.create { observer in
                observer.onNext(1)
                return Disposables.create { log("torn") }
            }
            let buffering: Buffering = isPausable ? .pausing(2) : .unbounded
            let hop = source.observe(on: scheduler, buffering: buffering)
            chain = hop.subscribe(onNext: { log($0) }) as? ChainLifetime
        }
        scheduler.start()
        #expect(chain != nil && log.text == "1")
        chain?.dispose()
        scheduler.start()
        #expect(log.text == "1 torn")
    }
}

/// A source, and the observer of its latest subscription.
// @unchecked Sendable because a test writes `value` before it starts threads.
private final class Kept<Element>: @unchecked Sendable {
    var value: AnyObserver<Element>?

    var source: Observable<Element> {
        Observable.create { [self] observer in
            value = observer
            return Disposables.create()
        }
    }
}
