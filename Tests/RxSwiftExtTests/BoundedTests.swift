import RxSwift
import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct BoundedTests {
    private static func numbers(_ count: Int = 20) -> Observable<Int> { .range(start: 0, count: count) }
    private static func ticks(_ scheduler: TestScheduler, _ period: Int = 5) -> Observable<Int> {
        Observable<Int>.interval(.seconds(period), scheduler: scheduler).take(6)
    }

    /// A source that ignores a pause: it sends an element and fails during `subscribe`.
    private static let failing = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onError(TestError.a)
        return Disposables.create()
    }

    static let rows: [FlowRow] = [
        FlowRow("cascade") { _ in Observable.empty().cascade([numbers(), .never()]).take(20) },
        FlowRow("pausableBuffered") { _ in numbers().pausableBuffered(Observable.of(true).concat(Observable.never())) },
        FlowRow("pausableBuffered that is opened late") { scheduler in
            numbers().concat(Observable.never())
                .pausableBuffered(ticks(scheduler, 30).map { _ in true }, limit: nil).take(20)
        },
        FlowRow("pausableBuffered whose source ends") { _ in
            numbers().pausableBuffered(Observable.never(), limit: nil)
        },
        FlowRow("bufferWithTrigger", .events) { ticks($0).bufferWithTrigger(ticks($0, 12)).map(\.count) },
        FlowRow("repeatWithBehavior") { _ in
            Observable.just(1).map { $0 }.repeatWithBehavior(.immediate(maxCount: 20))
        },
        FlowRow("retry(behavior)") { _ in failing.retry(.immediate(maxCount: 20)) },
        FlowRow("pairwise") { _ in numbers().pairwise().map(\.1) },
    ]

    @Test(arguments: rows, [1, 2, 16]) func boundedChainRecordsSameEventsAsUnbounded(row: FlowRow, bound: Int) {
        row.expectTheSame(bound: bound)
    }

    @Test(arguments: rows, [1, 16]) func boundaryHoldsAtMostBound(row: FlowRow, bound: Int) {
        row.expectNoMoreWait(bound: bound)
    }

    @Test(arguments: rows) func chainDisposedAtAnyPointLeavesNoObjects(row: FlowRow) {
        row.expectNothingIsLeft()
    }

    @Test func pauserRunsDuringPause() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createPausableObservable("-1", of: Int.self)
        let pauser = scheduler.createPausableObservable("-----1", of: Int.self)
        _ = scheduler.start { source.pausableBuffered(pauser.map { $0 == 1 }).paused(by: "--p----r", on: scheduler) }
        source.expectSignals("--p----r")
        pauser.expectSignals("")
    }

    /// The result for a source that cannot pause. The operator buffers the elements until the pauser sends true.
    private func buffered(_ source: String, pauser: String, pausedBy signals: String) -> TestableObserver<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let (source, pauser) = (scheduler.hot(source), scheduler.hot(pauser))
        return scheduler.start {
            source.pausableBuffered(pauser.map { $0 == 1 }, limit: nil).paused(by: signals, on: scheduler)
        }
    }

    @Test func elementsReleasedByPauserDuringPauseArriveAtResume() {
        buffered("-123", pauser: "-----1", pausedBy: "----p-----r").expect("----------(123)")
    }

    @Test func elementsReleasedByPauserThatClosesBeforeResumeStayBuffered() {
        buffered("-123", pauser: "-----1--0------1", pausedBy: "----p-----r").expect("---------------(123)")
    }

    @Test func elementArrivingDuringPauseForwardsEarlierBuffered() {
        buffered("-123---4-5", pauser: "-----1", pausedBy: "----p------r").expect("-------1-2-(345)")
    }

    @Test func elementsBufferedAtSourceEndArriveAtResumeBeforeEnd() {
        buffered("-123--|", pauser: "-0", pausedBy: "----p-----r").expect("----------(123|)")
        buffered("-123--#", pauser: "-0", pausedBy: "----p-----r").expect("----------(123#)", error: TestError.a)
    }

    @Test func pauserIsIgnoredOnceSourceHasEnded() {
        for pauser in ["-0-----1|", "-0-----10", "-0-----#"] {
            buffered("-123--|", pauser: pauser, pausedBy: "----p-----r").expect("----------(123|)")
        }
    }

    @Test func elementsReleasedByPauserArriveBeforeItsEnd() {
        buffered("-123---4", pauser: "-----1|", pausedBy: "----p-----r").expect("----------(123|)")
        buffered("-123", pauser: "-----1#", pausedBy: "----p-----r").expect("----------(123#)", error: TestError.a)
        buffered("-123", pauser: "-----10|", pausedBy: "----p-----r").expect("-------|")
    }

    @Test func elementsBufferedAtSourceEndAreFreedByDisposalDuringPause() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.pausableBuffered(Observable.never(), limit: nil)
            .paused(by: "p", on: scheduler, from: 1).subscribe()
        scheduler.start()
        for _ in 0..<3 { source.onNext(tracker.make()) }
        source.onCompleted()
        #expect(tracker.live == 3)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func bufferTriggeredDuringPauseArrivesOnceAtResume() {
        let scheduler = TestScheduler(initialClock: 0)
        let (source, trigger) = (PublishSubject<Int>(), scheduler.hot("---1-1-----"))
        scheduler.scheduleAt(201) { source.onNext(1) }
        let observer = scheduler.start {
            source.bufferWithTrigger(trigger).paused(by: "--p----r", on: scheduler)
        }
        #expect(observer.events.map { "\($0)" } == ["next([1]) @ 207"])
    }

    @Test func resumeWithoutTriggerSendsNothing() {
        let scheduler = TestScheduler(initialClock: 0)
        let (source, trigger) = (PublishSubject<Int>(), scheduler.hot("-------1--"))
        scheduler.scheduleAt(201) { source.onNext(1) }
        let observer = scheduler.start {
            source.bufferWithTrigger(trigger).paused(by: "--p-r", on: scheduler)
        }
        #expect(observer.events.map { "\($0)" } == ["next([1]) @ 207"])
    }

    @Test func triggerSendsNoSecondArrayAtNextResume() {
        let scheduler = TestScheduler(initialClock: 0)
        let (source, trigger) = (PublishSubject<Int>(), scheduler.hot("---1-----"))
        scheduler.scheduleAt(201) { source.onNext(1) }
        let observer = scheduler.start {
            source.bufferWithTrigger(trigger).paused(by: "--p-r-p-r", on: scheduler)
        }
        #expect(observer.events.map { "\($0)" } == ["next([1]) @ 204"])
    }
}
