import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SampleTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func sample(
        _ a: String, _ b: String, defaultValue: Int? = nil
    ) -> (TestableObserver<Int>, TestableObservable<Int>, TestableObservable<Int>) {
        let source = scheduler.hot(a)
        let sampler = scheduler.hot(b)
        let observer = scheduler.start { source.sample(sampler, defaultValue: defaultValue) }
        return (observer, source, sampler)
    }

    @Test func itSendsEachElementOnceAndEndsWithTheSamplerAfterTheSource() {
        let (observer, source, sampler) = sample("{10}1{9}2{9}3{9}|", "{15}0{9}00{23}0{9}0")
        observer.expect("{15}1{9}2{24}(3|)")
        source.expectSubscriptions("^{39}!")
        sampler.expectSubscriptions("^{49}!")
    }

    @Test func sampleWithoutNewElementSendsDefault() {
        let (observer, _, _) = sample("{10}1{19}|", "-----0{9}00{23}0", defaultValue: 9)
        observer.expect("-----9{9}19{23}(9|)")
    }

    /// As in RxSwift, the element precedes the disposal.
    @Test func elementAtSamplerEndIsSentBeforeSamplerDisposal() {
        let (log, source, sampler) = (Log(), PublishSubject<Int>(), PublishSubject<Void>())
        let subscription = source.sample(sampler.do(onDispose: { log("disposed") })).note(in: log)
        source.onNext(1)
        sampler.onCompleted()
        #expect(log.text == "1 disposed")
        subscription.dispose()
    }

    @Test func theSamplersCompletionSamplesAndIsTheLastOfIt() {
        let (observer, source, sampler) = sample("--1-2---------------|", "---|")
        observer.expect("---1")
        source.expectSubscriptions("^-------------------!")
        sampler.expectSubscriptions("^--!")
    }

    @Test(arguments: [("--1-#", "---0"), ("--1", "---0#")]) func eitherErrorEndsIt(
        source: String, sampler: String
    ) {
        let (observer, first, second) = sample(source, sampler)
        observer.expect("---1#", error: TestError.a)
        first.expectSubscriptions("^---!")
        second.expectSubscriptions("^---!")
    }

    @Test func elementDueDuringPauseArrivesAtItsResumeOnly() {
        let (source, sampler) = (scheduler.hot("-1-----2"), scheduler.hot("---0"))
        scheduler.start { source.sample(sampler).paused(by: "--p---r-p-r", on: scheduler) }.expect("------1")
    }

    @Test func pauseDoesNotPauseSourceOrSampler() {
        let source = scheduler.createPausableObservable("-1----2", of: Int.self)
        let sampler = scheduler.createPausableObservable("---0", of: Int.self)
        _ = scheduler.start { source.sample(sampler).paused(by: "--p---r", on: scheduler) }
        source.expectSignals("")
        sampler.expectSignals("")
    }

    @Test func lastSampleArrivesWithCompletionDuringPause() {
        let (source, sampler) = (scheduler.hot("-1-|"), scheduler.hot("----0"))
        scheduler.start { source.sample(sampler).paused(by: "--p---r", on: scheduler) }.expect("----(1|)")
    }

    @Test func resumeSendsOnlyDueSample() {
        let (source, sampler) = (scheduler.hot("-1---|"), scheduler.hot("---0-----0"))
        scheduler.start { source.sample(sampler).paused(by: "--p----r", on: scheduler) }.expect("-------1-|")
    }

    @Test func afterAPauseItSendsAtTheTickAgain() {
        let (source, sampler) = (scheduler.hot("-1-----2--3"), scheduler.hot("---0----0--0"))
        scheduler.start { source.sample(sampler).paused(by: "--p---r", on: scheduler) }.expect("------1-2--3")
    }

    @Test func afterAPauseInWhichNothingWasDueItSendsAtTheTick() {
        let (source, sampler) = (scheduler.hot("-1-----2"), scheduler.hot("------0-0"))
        scheduler.start { source.sample(sampler).paused(by: "--p-r", on: scheduler) }.expect("------1-2")
    }

    /// During a pause, the waiting sample retains the chain.
    @Test(arguments: [true, false]) func releasedSourcesAreFreedAfterDueSample(isPaused: Bool) {
        let (tracker, log, valve) = (LifetimeTracker(), Log(), TestValve(on: scheduler))
        nonisolated(unsafe) var heads: [AnyObserver<Int>] = []
        func source() -> Observable<Int> {
            .create { head in
                heads.append(head)
                return Disposables.create()
            }
        }
        _ = valve.above(source().sample(source())).subscribe(onNext: { [captured = tracker.make()] element in
            withExtendedLifetime(captured) { log(element) }
        })
        if isPaused { valve.set(isPaused: true) }
        for head in heads { head.onNext(1) }
        #expect(tracker.live == 1)
        heads = []
        if isPaused {
            #expect(tracker.live == 1)
            valve.set(isPaused: false)
            scheduler.start()
        }
        #expect(log.text == "1")
        #expect(tracker.live == 0)
    }

    @Test func elementDueDuringPauseArrivesAfterSamplerEnded() {
        let sampler = scheduler.hot("---|")
        let source = Observable.just(1).concat(Observable.never())
        scheduler.start { source.sample(sampler).paused(by: "--p----r", on: scheduler) }.expect("-------1")
    }

    @Test func theSampleIsFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let sampler = PublishSubject<Void>()
        let subscription = source.sample(sampler).subscribe(onError: { _ in })
        defer { subscription.dispose() }
        source.onNext(tracker.make())
        #expect(tracker.live == 1)
        sampler.onNext(())
        #expect(tracker.live == 0)
        source.onNext(tracker.make())
        sampler.onError(TestError.a)
        #expect(tracker.live == 0)
    }
}
