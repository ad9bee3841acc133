import RxSwift
import RxTest
import TestSupport
import Testing

struct MergeTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func mergeForwardsAllElementsAndEndsWithLastSource() {
        let sources = ["--1---2-|", "----3-----|"].map { scheduler.cold($0) }
        scheduler.start { Observable.merge(sources.map { $0.asObservable() }) }.expect("--1-3-2---|")
        sources[0].expectSubscriptions("^-------!")
        sources[1].expectSubscriptions("^---------!")
    }

    @Test func anErrorEndsAllSources() {
        let sources = ["--1---#", "----3-----|"].map { scheduler.cold($0) }
        scheduler.start { Observable.merge(sources.map { $0.asObservable() }) }
            .expect("--1-3-#", error: TestError.a)
        sources[0].expectSubscriptions("^-----!")
        sources[1].expectSubscriptions("^-----!")
    }

    @Test func withoutSourcesItCompletes() {
        #expect(seen(Observable<Int>.merge([])) == "completed")
    }

    @Test func justsWaitDuringAPause() {
        let (valve, log) = (TestValve(on: scheduler), Log())
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.merge((1...3).map { Observable.just($0) })).note(in: log)
        #expect(log.text == "")
        valve.set(isPaused: false)
        scheduler.start()
        #expect(log.text == "1 2 3 completed")
        subscription.dispose()
    }

    @Test func disposingEndsAllSources() {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let merged = Observable.merge(subjects[0], subjects[1], subjects[2]).subscribe()
        #expect(subjects.map(\.hasObservers) == [true, true, true])
        merged.dispose()
        #expect(subjects.map(\.hasObservers) == [false, false, false])
    }

    @Test func elementsPushedAfterDisposalInObserverAreDropped() {
        let (subjects, log, subscription) = ((0..<2).map { _ in PublishSubject<Int>() }, Log(), SerialDisposable())
        subscription.disposable = Observable.merge(subjects[0], subjects[1]).subscribe(onNext: {
            log($0)
            subscription.dispose()
            subjects[1].onNext(2)
        })
        subjects[0].onNext(1)
        #expect(log.text == "1")
    }

    @Test func elementFromAnotherThreadDuringDeliveryFollowsIt() {
        let (subjects, log) = ((0..<2).map { _ in PublishSubject<Int>() }, Log())
        let subscription = Observable.merge(subjects[0], subjects[1]).subscribe(onNext: {
            log("s\($0)")
            if $0 == 1 { _ = try? runOnThread { subjects[1].onNext(2) } }
            log("e\($0)")
        })
        subjects[0].onNext(1)
        #expect(log.text == "s1 e1 s2 e2")
        subscription.dispose()
    }

    @Test func sourcesThatEndAtOnceOnThreadsEndItOnce() throws {
        for _ in 0..<500 {
            let (subjects, log) = ((0..<3).map { _ in PublishSubject<Int>() }, Log())
            let subscription = Observable.merge(subjects.map { $0.asObservable() }).note(in: log)
            try runConcurrently(threads: 3) { subjects[$0].onCompleted() }
            #expect(log.text == "completed")
            subscription.dispose()
        }
    }

    @Test func aLastSourceThatEndsAtOnceIsDisposedBeforeTheCompletion() {
        let log = Log()
        let source = Observable<Int>.create { observer in
            observer.onCompleted()
            return Disposables.create { log("torn") }
        }
        _ = Observable.merge(source, source).note(in: log)
        #expect(log.text == "torn torn completed")
    }

    @Test func mergesInnerSequencesAsTheyCome() {
        #expect(seen(Observable.of(Observable.of(1, 2, 3), .of(4, 5, 6)).merge()) == "1 2 4 3 5 6 completed")
    }

    @Test func maxConcurrentLimitsActiveSources() {
        let inner = ["--1-----|", "--2-|", "--3-|", "-|"].map { scheduler.cold($0) }
        let observer = scheduler.start { Observable.from(inner.map { $0.asObservable() }).merge(maxConcurrent: 2) }
        observer.expect("--(12)---3--|")
        inner[0].expectSubscriptions("^-------!")
        inner[1].expectSubscriptions("^---!")
        inner[2].expectSubscriptions("----^---!")
        inner[3].expectSubscriptions("--------^!")
    }

    @Test func zeroMaxConcurrentCompletesWithoutSubscribing() {
        #expect(seen(Observable.of(Observable.of(1), .of(2)).merge(maxConcurrent: 0)) == "completed")
    }

    @Test func anyNumberMayRunAtATime() {
        let sources = Observable.of(Observable.of(1), .of(2))
        #expect(seen(sources.merge(maxConcurrent: .max)) == "1 2 completed")
    }

    @Test func queuedJustStartedDuringPauseWaits() {
        let first = scheduler.cold("--------|")
        let sources = [first.asObservable(), Observable.just(2)]
        scheduler.start { Observable.from(sources).merge(maxConcurrent: 1).paused(by: "-----p", on: scheduler) }
            .expect("")
        first.expectSubscriptions("^-------!")
    }

    @Test func queuedJustStartedInTrampolineDeliversAtOnce() {
        let (outer, first, log) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), Log())
        let subscription = outer.merge(maxConcurrent: 1).note(in: log)
        outer.onNext(first)
        outer.onNext(.just(9))
        outer.onCompleted()
        let action = CurrentThreadScheduler.instance.schedule(()) { _ in
            first.onCompleted()
            log("after")
            return Disposables.create()
        }
        #expect(log.text == "9 completed after")
        action.dispose()
        subscription.dispose()
    }

    @Test func disposedWithinADeliveryItSubscribesToNothingThatWaits() {
        let (outer, first) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>())
        let (log, subscription) = (Log(), SerialDisposable())
        subscription.disposable = outer.merge(maxConcurrent: 1).subscribe(onNext: {
            log($0)
            subscription.dispose()
        })
        outer.onNext(first)
        outer.onNext(.just(1))
        outer.onNext(Observable.of(2).noteLifetime(in: log, as: "last"))
        first.onCompleted()
        #expect(log.text == "1")
    }

    @Test func aSourceThatEndsAnotherWhileItIsSubscribedKeepsItsPlace() {
        let (first, second, fourth, log) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let own = PublishSubject<Int>()
        let third = Observable<Int>.create { observer in
            first.onCompleted()
            return own.subscribe(observer)
        }
        let sources = [first.asObservable(), second.asObservable(), third, fourth.asObservable()]
        let subscription = Observable.from(sources).merge(maxConcurrent: 2).note(in: log)
        second.onCompleted()
        #expect(fourth.hasObservers)
        fourth.onCompleted()
        own.onNext(3)
        own.onCompleted()
        #expect(log.text == "3 completed")
        subscription.dispose()
    }

    @Test func sourceEndingDuringDeliveryStartsQueuedOneAtOnce() {
        let (hot, log) = ((0..<2).map { _ in PublishSubject<Int>() }, Log())
        let sources = hot.map { $0.asObservable() } + [Observable.of(21, 22, 23), Observable.of(31, 32)]
        let subscription = Observable.from(sources).merge(maxConcurrent: 2)
            .do(onNext: { if $0 == 22 { hot[1].onCompleted() } }).note(in: log)
        hot[0].onCompleted()
        #expect(log.text == "21 22 31 23 32 completed")
        subscription.dispose()
    }

    @Test func anErrorOfTheOuterSourceEndsALimitedMergeThatWaitsForIt() {
        outcome("--#") { source in source.map { Observable.just($0) }.merge(maxConcurrent: 1) }
            .expect("--#", subscribed: "^-!")
    }

    @Test func sourceBehindOneThatDisposesIsSubscribedAndDisposed() {
        let (trigger, subscription, log) = (PublishSubject<Int>(), SerialDisposable(), Log())
        let source = Observable<Int>.create { _ in
            log("made")
            subscription.dispose()
            return Disposables.create { log("disposed") }
        }
        subscription.disposable = trigger.flatMap { _ in Observable.merge(source, source) }.subscribe()
        trigger.onNext(0)
        #expect(log.text == "made disposed made disposed")
    }
}
