import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestSchedulerTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func startUsesTheDefaults() {
        let made = Log()
        let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(1000, 3), .next(1010, 4)])
        let observer = scheduler.start { () -> TestableObservable<Int> in
            made(scheduler.clock)
            return source
        }
        #expect(made.text == "100")
        #expect(source.subscriptions == [Subscription(200, 1000)])
        // Scheduled before the disposal at the same time, so it comes before it.
        #expect(observer.events == [.next(210, 2), .next(1000, 3)])
        #expect(TestScheduler.Defaults.created == 100)
        #expect(TestScheduler.Defaults.subscribed == 200)
        #expect(TestScheduler.Defaults.disposed == 1000)
    }

    @Test func startDisposesWhenTold() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        #expect(scheduler.start(disposed: 215) { source }.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(200, 215)])
    }

    @Test func startTakesAllThreeTimes() {
        let source = scheduler.createColdObservable([.next(1, 1), .next(20, 2)])
        #expect(scheduler.start(created: 10, subscribed: 20, disposed: 30) { source }.events == [.next(21, 1)])
        #expect(source.subscriptions == [Subscription(20, 30)])
    }

    @Test func anEventMadeBeforeTheDisposalOfTheSameTimeIsSeen() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        #expect(scheduler.start(disposed: 220) { source }.events == [.next(210, 1), .next(220, 2)])
    }

    @Test func anEventMadeAfterTheDisposalOfTheSameTimeIsNotSeen() {
        #expect(
            scheduler.start(disposed: 220) { scheduler.createHotObservable([.next(210, 1), .next(220, 2)]) }.events == [
                .next(210, 1)
            ])
    }

    @Test func theClockIsLateWhenItStartsLate() {
        let scheduler = TestScheduler(initialClock: 50)
        let log = Log()
        for time in [10, 60] { scheduler.scheduleAt(time) { log(scheduler.clock) } }
        scheduler.start()
        #expect(log.text == "50 60")
    }

    @Test func resolutionIsTheLengthOfAStep() {
        let fine = TestScheduler(initialClock: 20, resolution: 0.1)
        #expect(fine.now.timeIntervalSince1970 == 2)
        let converter = TestScheduler(initialClock: 0, resolution: 10)
        let log = Log()
        _ = converter.scheduleRelative((), dueTime: .seconds(50)) {
            log(converter.clock)
            return Disposables.create()
        }
        converter.start()
        #expect(log.text == "5")
    }

    @Test func aSchedulerThatNeverRunsIsFreed() {
        let tracker = LifetimeTracker()
        do {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(10, tracker.make())])
            _ = source.recordedEvents
        }
        #expect(tracker.live == 0)
    }
}

@Suite struct TestableObservableTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func hotFiresAtItsTimesWhoeverListens() {
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

    @Test func hotStopsForWhoLeaves() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        scheduler.scheduleAt(15) { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(10, 1)])
        #expect(source.subscriptions == [Subscription(0, 15)])
    }

    @Test func hotSkipsWhoLeavesBeforeItsTurn() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let log = Log()
        var second: (any Disposable)?
        // Bare observers: nothing but the source keeps the event from them.
        _ = source.subscribe(
            AnyObserver { event in
                log("a\(event)")
                second?.dispose()
            })
        second = source.subscribe(AnyObserver { log("b\($0)") })
        scheduler.start()
        #expect(log.text == "anext(1) anext(2)")
    }

    @Test func hotGoesOnAfterTheEndItSends() {
        let source = scheduler.createHotObservable([.completed(10), .next(20, 2), .error(30, TestError.a)])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.completed(10), .next(20, 2), .error(30, TestError.a)])
    }

    /// In tens of milliseconds. Were each delivery to look through all observers, it would be minutes.
    @Test func hotTellsManyAsFastAsOneEach() throws {
        let count = try runOnThread(timeout: 20) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(10, 1)])
            var count = 0
            let observers = (0..<40_000).map { _ in source.subscribe(AnyObserver { _ in count += 1 }) }
            scheduler.start()
            for observer in observers { observer.dispose() }
            return count
        }
        #expect(count == 40_000)
    }

    @Test func hotTellsNewcomersFromTheNextEventOn() {
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
        let late = scheduler.createObserver(Int.self)
        var isFirst = true
        let subscription = source.subscribe(onNext: { _ in
            if isFirst { _ = source.subscribe(late) }
            isFirst = false
        })
        scheduler.start()
        // Its closure holds the source.
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

    @Test func coldStopsForWhoLeaves() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        scheduler.scheduleAt(15) { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(10, 1)])
        #expect(source.subscriptions == [Subscription(0, 15)])
    }

    @Test func coldFreesWhoLeaves() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2)])
        let tracker = LifetimeTracker()
        let element = tracker.make()
        let subscription = source.subscribe(onNext: { [element] _ in _ = element })
        scheduler.advanceTo(15)
        subscription.dispose()
        withExtendedLifetime(element) {}
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

@Suite struct TestableObserverTests {
    @Test func recordsWhatItIsToldAndWhen() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(10) { observer.onNext(1) }
        scheduler.start()
        observer.onCompleted()
        observer.onNext(3)
        #expect(observer.events == [.next(10, 1), .completed(10), .next(10, 3)])
    }

    @Test func recordsFromManyThreads() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        try runConcurrently(threads: 4) { index in
            for _ in 0..<1000 { observer.onNext(index) }
        }
        #expect(observer.events.count == 4000)
    }
}
