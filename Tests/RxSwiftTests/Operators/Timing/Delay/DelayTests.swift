import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct DelayTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, _ span: Int) -> Outcome<Int> {
        outcome(source, on: scheduler) { [scheduler] in $0.delay(.seconds(span), scheduler: scheduler) }
    }

    @Test func elementsAndCompletionAreDelayed() {
        result("{10}1----2{24}3{69}|", 50).expect("{60}1----2{24}3{69}|", subscribed: "^{109}!")
    }

    @Test func simultaneousEventsArriveInOrderOnePerTurn() {
        result("{10}(12|)", 5).expect("{15}12|", subscribed: "^{9}!")
    }

    @Test func errorOvertakesWaitingElements() {
        result("{10}1{9}2----#", 20).expect("{25}#", subscribed: "^{24}!")
    }

    @Test(arguments: [true, false]) func errorCausedByObserverFollowsItsElement(isBounded: Bool) {
        let (source, log) = (PublishSubject<Int>(), Log())
        let delayed = source.delay(.seconds(5), scheduler: scheduler)
        let subscription = (isBounded ? delayed.bounded(4) : delayed).subscribe(
            onNext: {
                log("\($0)(")
                source.onError(TestError.a)
                log(")")
            }, onError: { _ in log("error") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        #expect(log.text == "1( ) error")
    }

    @Test func theSourceIsDisposedBeforeTheErrorIsDelivered() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.do(onDispose: { log("source-") }).delay(.seconds(5), scheduler: scheduler)
            .subscribe(onError: { _ in log("error") })
        defer { subscription.dispose() }
        source.onError(TestError.a)
        #expect(log.text == "source- error")
    }

    @Test func boundedDelayKeepsElementsDueDuringPauseForResume() {
        let source = scheduler.createPausableObservable("-12", of: Int.self)
        let observer = scheduler.start {
            source.delay(.seconds(2), scheduler: scheduler).bounded(4).paused(by: "--p---r", on: scheduler)
        }
        #expect(observer.events.map(\.value) == [.next(1), .next(2)])
        #expect(observer.events.allSatisfy { $0.time >= 206 })
    }

    @Test func boundedDelayResumesSourceAtAQuarterOfTheBound() {
        let source = scheduler.createPausableObservable("-1234", of: Int.self)
        let observer = scheduler.start { source.delay(.seconds(5), scheduler: scheduler).bounded(4) }
        observer.expect("------1234")
        source.expectSignals("----p---r")
    }

    @Test func unboundedDelayKeepsElementsDueDuringPauseForResume() {
        let source = scheduler.hot("-123-|")
        let observer = scheduler.start {
            source.delay(.seconds(2), scheduler: scheduler).paused(by: "--p-----r", on: scheduler)
        }
        #expect(observer.events.map(\.value) == [.next(1), .next(2), .next(3), .completed])
        #expect(observer.events.allSatisfy { $0.time >= 208 })
    }

    @Test func boundedDelayResumesSourceOnItsScheduler() {
        let (resumed, mine) = (Guarded<[Bool]>([]), pthread_self())
        let source = Observable<Int>.create(flow: { [scheduler] out in
            out.onResume {
                resumed.withLock { $0.append(pthread_equal(pthread_self(), mine) != 0 && scheduler.clock > 0) }
            }
            for element in 1...4 { out.onNext(element) }
            if out.isOpen { Issue.record("there is room") }
            return Disposables.create()
        })
        let subscription = source.delay(.seconds(5), scheduler: scheduler).bounded(4).subscribe()
        scheduler.start()
        #expect(resumed.withLock { $0 } == [true])
        subscription.dispose()
    }

    @Test func boundedDelayOverflowFailsAtOnce() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.delay(.seconds(5), scheduler: scheduler).bounded(2).note(in: log)
        for element in 1...3 { source.onNext(element) }
        #expect(log.text == overflow("delay", "2 elements are waiting", "PublishSubject<Int>"))
        #expect(!source.hasObservers)
        subscription.dispose()
        scheduler.start()
    }

    @Test func boundedDelayOverflowInDeliveryFailsAfterIt() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.delay(.seconds(5), scheduler: scheduler).bounded(2).subscribe(
            onNext: {
                log("\($0)(")
                for element in 2...4 { source.onNext(element) }
                log(")")
            }, onError: { _ in log("error") })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "1( ) error")
    }

    @Test func pauseDoesNotDelayCompletionOfBoundedDelay() {
        let source = scheduler.createPausableObservable("-|", of: Int.self)
        let observer = scheduler.start {
            source.delay(.seconds(2), scheduler: scheduler).bounded(2).paused(by: "--p---r", on: scheduler)
        }
        observer.expect("---|")
    }

    @Test func errorOvertakesElementsKeptForResume() {
        let source = scheduler.hot("-12---#")
        scheduler.start {
            source.delay(.seconds(2), scheduler: scheduler).bounded(4).paused(by: "--p------r", on: scheduler)
        }
        .expect("------#", error: TestError.a)
    }

    @Test(arguments: [false, true])
    func waitingElementsAreFreedAtTheEnd(byError: Bool) {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.delay(.seconds(5), scheduler: scheduler).subscribe(onError: { _ in })
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        #expect(tracker.live == 3)
        if byError { source.onError(TestError.a) } else { subscription.dispose() }
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func delayWithTeardownBelowSourceReleasedLivesUntilDisposal() {
        let (log, tracker) = (Log(), LifetimeTracker())
        var source: PublishSubject<Int>? = PublishSubject()
        let subscription = source!.delay(.seconds(5), scheduler: scheduler).noteLifetime(in: log, as: "below")
            .subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        source = nil
        #expect(log.text == "below+" && tracker.live == 1)
        subscription.dispose()
        #expect(log.text == "below+ below-" && tracker.live == 0)
    }

    @Test func realSchedulerDeliversElementPushedInDeliveryNotEarly() throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delay")
        let (source, done) = (PublishSubject<UInt64>(), DispatchSemaphore(value: 0))
        let span: UInt64 = 20_000_000
        let waits = Guarded<[UInt64]>([])
        let subscription = source.delay(.nanoseconds(Int(span)), scheduler: scheduler).subscribe(onNext: { sent in
            let now = DispatchTime.now().uptimeNanoseconds
            waits.withLock { $0.append(now - sent) }
            if waits.withLock({ $0.count }) == 5 { return _ = done.signal() }
            source.onNext(DispatchTime.now().uptimeNanoseconds)
        })
        defer { subscription.dispose() }
        source.onNext(DispatchTime.now().uptimeNanoseconds)
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(waits.withLock { $0 }.allSatisfy { $0 >= span })
    }

    @Test func realSchedulerDeliversBurstInOrder() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delay")
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        let subscription = Observable.range(start: 0, count: 2_000).delay(.milliseconds(1), scheduler: scheduler)
            .subscribe(onNext: { log($0) }, onCompleted: { done.signal() })
        defer { subscription.dispose() }
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(log.entries == (0..<2_000).map { "\($0)" })
    }

    /// Often, a pause ends just before the delay's thread stops delivering.
    @Test func boundedDelayResumedWhileParkingContinues() throws {
        let (count, done) = (20_000, DispatchSemaphore(value: 0))
        let threads = (0..<8).map { _ in PthreadScheduler() }
        let subscriptions = (0..<4).map { pair in
            Observable.range(start: 0, count: count).delay(.nanoseconds(0), scheduler: threads[2 * pair]).bounded(16)
                .observe(on: threads[2 * pair + 1]).bounded(1).subscribe(onCompleted: { done.signal() })
        }
        for _ in subscriptions { try wait(for: done) }
        for subscription in subscriptions { subscription.dispose() }
        for thread in threads { thread.shutdown() }
    }

    @Test(arguments: [false, true]) func realSchedulerRunsOtherJobsAmongDueElements(isBounded: Bool) throws {
        let (scheduler, go, done) = (PthreadScheduler(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (count, delivered, seen) = (1_000, Guarded(0), Guarded(0))
        // Blocks the thread until all elements are due.
        _ = scheduler.schedule(()) { _ in
            go.wait()
            return Disposables.create()
        }
        let delayed = Observable.range(start: 0, count: count).delay(.milliseconds(1), scheduler: scheduler)
        let subscription = (isBounded ? delayed.bounded(2 * count) : delayed).subscribe(
            onNext: { element in
                delivered.withLock { $0 += 1 }
                guard element == 0 else { return }
                _ = scheduler.schedule(()) { _ in
                    let before = delivered.withLock { $0 }
                    seen.withLock { $0 = before }
                    return Disposables.create()
                }
            }, onCompleted: { done.signal() })
        let due = DispatchTime.now() + .milliseconds(2)
        while .now() < due {}
        go.signal()
        try wait(for: done)
        #expect((1..<count).contains(seen.withLock { $0 }) && delivered.withLock { $0 } == count)
        subscription.dispose()
        scheduler.shutdown()
    }

    @Test func boundedDelaySimultaneousEventsArriveOnePerTurn() {
        let source = scheduler.hot("{10}(12|)")
        scheduler.start { [scheduler] in source.delay(.seconds(5), scheduler: scheduler).bounded(4) }
            .expect("{15}12|")
    }

    /// The clock shows only whole seconds.
    @Test(arguments: [false, true]) func coarseClockDeliversDueElementsWhenTimerFires(isBounded: Bool) {
        let source = scheduler.hot("-12---|")
        scheduler.start {
            let delayed = source.delay(.milliseconds(1_400), scheduler: scheduler)
            return isBounded ? delayed.bounded(4) : delayed
        }
        .expect("--12---|")
    }

    @Test(arguments: [false, true]) func nextTimerLastsForRestOfSpan(isBounded: Bool) {
        let (source, counting) = (scheduler.hot("-1--2"), Counting(scheduler))
        let observer = scheduler.start {
            let delayed = source.delay(.seconds(6), scheduler: counting)
            return isBounded ? delayed.bounded(4) : delayed
        }
        observer.expect("-------1--2")
        #expect(counting.timers == 2)
    }
}

private final class Counting: SchedulerType {
    private let base: TestScheduler
    private(set) var timers = 0

    init(_ base: TestScheduler) {
        self.base = base
    }

    var now: RxTime { base.now }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        base.schedule(state, action: action)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        timers += 1
        return base.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
