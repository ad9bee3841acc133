import RxSwift
import TestSupport
import Testing

@testable import RxTest

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
        // The element at 1000 was scheduled before the disposal at 1000.
        #expect(observer.events == [.next(210, 2), .next(1000, 3)])
        #expect(TestScheduler.Defaults.created == 100)
        #expect(TestScheduler.Defaults.subscribed == 200)
        #expect(TestScheduler.Defaults.disposed == 1000)
    }

    @Test func startDisposesAtGivenTime() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        #expect(scheduler.start(disposed: 215) { source }.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(200, 215)])
    }

    @Test func startUsesCreatedSubscribedAndDisposedTimes() {
        let source = scheduler.createColdObservable([.next(1, 1), .next(20, 2)])
        #expect(scheduler.start(created: 10, subscribed: 20, disposed: 30) { source }.events == [.next(21, 1)])
        #expect(source.subscriptions == [Subscription(20, 30)])
    }

    @Test func sequenceIsMadeNoLaterThanItsSubscription() {
        let source = scheduler.createColdObservable([.next(1, 1)])
        #expect(scheduler.start(created: 100, subscribed: 50, disposed: 60) { source }.events == [.next(51, 1)])
        #expect(source.subscriptions == [Subscription(50, 60)])
    }

    @Test func subscriptionAfterDisposedTimeEndsAtOnce() {
        let source = scheduler.createColdObservable([.next(0, 1), .next(1, 2)])
        _ = scheduler.start(created: 100, subscribed: 300, disposed: 200) { source }
        #expect(source.subscriptions == [Subscription(300, 300)])
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

    @Test func pastEventsRunAtInitialClock() {
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

    // MARK: The last representable time

    private static let longest: [RxTimeInterval] = [
        .seconds(.max), .milliseconds(.max), .microseconds(.max), .nanoseconds(.max),
    ]

    @Test(arguments: longest) func overflowingSpanNeverFires(span: RxTimeInterval) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 1e-9)
        scheduler.start { Observable<Int>.timer(span, scheduler: scheduler) }.expect("")
        #expect(scheduler.clock == 1000)
    }

    @Test func operatorsTakeASpanThatNoClockHolds() {
        let scheduler = scheduler
        let source = scheduler.createHotObservable("-1-", of: Int.self)
        func plays<Element>(_ operation: @escaping (TestableObservable<Int>) -> Observable<Element>) {
            let observer = scheduler.createObserver(Element.self)
            let subscription = operation(source).subscribe(observer)
            scheduler.advanceTo(1000)
            subscription.dispose()
            #expect(observer.events.allSatisfy { !$0.value.isStopEvent })
        }
        plays { $0.debounce(.seconds(.max), scheduler: scheduler) }
        plays { $0.throttle(.seconds(.max), scheduler: scheduler) }
        plays { $0.delay(.seconds(.max), scheduler: scheduler) }
        plays { $0.timeout(.seconds(.max), scheduler: scheduler) }
        plays { $0.buffer(timeSpan: .seconds(.max), count: 9, scheduler: scheduler) }
        plays { $0.window(timeSpan: .seconds(.max), count: 9, scheduler: scheduler) }
        plays { $0.take(for: .seconds(.max), scheduler: scheduler) }
        plays { $0.skip(.seconds(.max), scheduler: scheduler) }
        plays { $0.delaySubscription(.seconds(.max), scheduler: scheduler) }
        plays { _ in Observable<Int>.timer(.seconds(.max), scheduler: scheduler) }
        plays { _ in Observable<Int>.interval(.seconds(.max), scheduler: scheduler) }
    }

    @Test func eventAtTheLastTimeIsRun() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        let subscription = Observable<Int>.timer(.seconds(.max), scheduler: scheduler).subscribe(observer)
        defer { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(.max, 0), .completed(.max)])
    }

    @Test func jobScheduledForNowAtTheLastTimeRuns() {
        let scheduler = TestScheduler(initialClock: .max)
        let log = Log()
        _ = scheduler.schedule(()) {
            log(scheduler.clock == .max)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.text == "true")
    }

    @Test func coldEventBeyondMaxTimeFiresAtMax() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, 1), .next(.max, 2)])
        let observer = scheduler.createObserver(Int.self)
        let subscriptions = SerialDisposable()
        defer { subscriptions.dispose() }
        scheduler.scheduleAt(200) { subscriptions.disposable = source.subscribe(observer) }
        scheduler.start()
        #expect(observer.events == [.next(210, 1), .next(.max, 2)])
    }

    @Test func coldEventAtMinTimeFiresAtOnce() {
        let scheduler = TestScheduler(initialClock: -10)
        let source = scheduler.createColdObservable([.next(.min, 1)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        defer { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(-10, 1)])
    }

    @Test func aStepOfNoTimeStopsTheProcessWithWords() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TestScheduler(initialClock: 0, resolution: 0).schedule(()) { Disposables.create() }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("The resolution must be finite and not 0. (TestScheduler, resolution: 0.0)"))
    }

    @Test func nanResolutionTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TestScheduler(initialClock: 0, resolution: .nan).schedule(()) { Disposables.create() }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("The resolution must be finite and not 0. (TestScheduler, resolution: nan)"))
    }

    @Test func aStepWithoutEndStopsTheProcessWithWords() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TestScheduler(initialClock: 0, resolution: .infinity).schedule(()) { Disposables.create() }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("The resolution must be finite and not 0. (TestScheduler, resolution: inf)"))
    }

    @Test func aClockOfStepsWithoutEndStopsTheProcessWithWords() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TestClock(TestScheduler(initialClock: 0, resolution: .infinity))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("The resolution must be finite and not 0. (TestScheduler, resolution: inf)"))
    }

    @Test func nanTimeIntervalTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let converter = TestSchedulerVirtualTimeConverter(resolution: 1)
            _ = converter.convertToVirtualTimeInterval(.nan)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A span of time is not a number. (TestScheduler, timeInterval: nan)"))
    }

    // MARK: Items that are due now

    @Test(arguments: [(true, "5 6"), (false, "5 5")])
    func jobForNowRunsOneStepLaterUnlessDelayIsOff(delays: Bool, times: String) {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: delays)
        let log = Log()
        scheduler.scheduleAt(5) {
            log(scheduler.clock)
            _ = scheduler.schedule(()) {
                log(scheduler.clock)
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.text == times)
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
