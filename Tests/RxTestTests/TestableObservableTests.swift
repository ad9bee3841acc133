import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestableObservableTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func hotFiresAtItsTimesForEachObserver() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2), .next(30, 3)])
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(15) { _ = source.subscribe(first) }
        scheduler.scheduleAt(20) { _ = source.subscribe(second) }
        scheduler.start()
        #expect(first.events == [.next(20, 2), .next(30, 3)])
        #expect(second.events == [.next(30, 3)])
        #expect(source.subscriptions == [Subscription(15), Subscription(20)])
    }

    @Test func hotSendsNothingToDisposedObserver() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        scheduler.scheduleAt(15) { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(10, 1)])
        #expect(source.subscriptions == [Subscription(0, 15)])
    }

    @Test func hotSkipsObserverDisposedBeforeItsTurn() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let log = Log()
        nonisolated(unsafe) var second: (any Disposable)?
        // An `AnyObserver` does not check whether it is disposed of, so the source must withhold the event.
        _ = source.subscribe(
            AnyObserver { event in
                log("a\(event)")
                second?.dispose()
            })
        second = source.subscribe(AnyObserver { log("b\($0)") })
        scheduler.start()
        #expect(log.text == "anext(1) anext(2)")
    }

    @Test func hotContinuesAfterTerminalEvent() {
        let source = scheduler.createHotObservable([.completed(10), .next(20, 2), .error(30, TestError.a)])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.completed(10), .next(20, 2), .error(30, TestError.a)])
    }

    /// If each delivery searched all observers, the test would take minutes.
    @Test func hotDeliversToManyObserversInLinearTime() throws {
        let count = try runOnThread(timeout: 20) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(10, 1)])
            nonisolated(unsafe) var count = 0
            let observers = (0..<40_000).map { _ in source.subscribe(AnyObserver { _ in count += 1 }) }
            scheduler.start()
            for observer in observers { observer.dispose() }
            return count
        }
        #expect(count == 40_000)
    }

    @Test func hotSendsToNewObserverFromNextEvent() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let late = scheduler.createObserver(Int.self)
        nonisolated(unsafe) var isFirst = true
        let subscription = source.subscribe(onNext: { _ in
            if isFirst { _ = source.subscribe(late) }
            isFirst = false
        })
        scheduler.start()
        subscription.dispose()
        #expect(late.events == [.next(20, 2)])
    }

    @Test func coldCountsFromTheSubscription() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(15) { _ = source.subscribe(first) }
        scheduler.scheduleAt(20) { _ = source.asObservable().subscribe(second) }
        scheduler.start()
        #expect(first.events == [.next(25, 1), .completed(35)])
        #expect(second.events == [.next(30, 1), .completed(40)])
        #expect(source.subscriptions == [Subscription(15), Subscription(20, 40)])
    }

    @Test func coldSendsNothingToDisposedObserver() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        scheduler.scheduleAt(15) { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(10, 1)])
        #expect(source.subscriptions == [Subscription(0, 15)])
    }

    @Test func coldFreesDisposedObserver() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2)])
        let tracker = LifetimeTracker()
        let subscription = source.subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        scheduler.advanceTo(15)
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
        #expect(source.subscriptions == [Subscription(0, 15)])
    }

    @Test func endsOnceForAnObservable() {
        let hot = scheduler.createHotObservable([.next(210, 1), .completed(220), .next(230, 2)])
        #expect(scheduler.start { hot.asObservable() }.events == [.next(210, 1), .completed(220)])
        #expect(hot.subscriptions == [Subscription(200, 220)])
    }

    @Test func keepsItsScript() {
        let script: [Recorded<Event<Int>>] = [.next(10, 1), .completed(20)]
        #expect(scheduler.createHotObservable(script).recordedEvents == script)
        #expect(scheduler.createColdObservable(script).recordedEvents == script)
    }
}
