import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct CascadeTests {
    private func cascading(_ sources: String...) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = sources.map { scheduler.hot($0) }
        return Outcome(scheduler.start { Observable.cascade(sources) }, sources)
    }

    @Test func firstElementOfLaterSourceReplacesEarlierOnes() {
        cascading("--1-2---3", "------7---8-|").expect("--1-2-7---8-|", subscribed: "^-----!", "^-----------!")
    }

    @Test func sourcesMayBeSkipped() {
        let result = cascading("--1-------5", "--------2", "----3-------|")
        result.expect("--1-3-------|", subscribed: "^---!", "^---!", "^-----------!")
    }

    @Test func cascadeCompletesWhenAllRemainingSourcesHave() {
        cascading("--1-|", "------7-|").expect("--1---7-|", subscribed: "^---!", "^-------!")
        cascading("--1-----|", "----|").expect("--1-----|", subscribed: "^-------!", "^---!")
        cascading("------|", "----|").expect("------|", subscribed: "^-----!", "^---!")
        cascading("----|", "--12--|", "----|")
            .expect("--12--|", subscribed: "^-!", "^-----!", "^---!")
    }

    @Test func withoutSourcesItCompletes() {
        cascading().expect("|")
    }

    @Test func errorOfRemainingSourceEndsCascade() {
        cascading("--1", "----#").expect("--1-#", subscribed: "^---!", "^---!")
        cascading("------#", "----7---|").expect("----7---|", subscribed: "^---!", "^-------!")
    }

    @Test func sourcesThatEndAtOnceCount() {
        #expect(seen(Observable.cascade([Observable.just(1), .empty(), .just(2)])) == "1 2 completed")
        #expect(seen(Observable.cascade([Observable<Int>.empty(), .empty()])) == "completed")
        #expect(seen(Observable.cascade([Observable.error(TestError.a), .just(2)])) == "error(a)")
    }

    @Test func sourceAfterAnErrorIsNotSubscribed() {
        let log = Log()
        let late = Observable.just(1).do(onSubscribe: { log("subscribed") })
        #expect(seen(Observable.cascade([Observable.error(TestError.a), late])) == "error(a)")
        #expect(log.text == "")
    }

    @Test func cascadeMethodAppendsSources() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = ["--1", "----2-|"].map { scheduler.hot($0).asObservable() }
        scheduler.start { sources[0].cascade([sources[1]]) }.expect("--1-2-|")
    }

    @Test func sourcesAreSubscribedAndDisposedInOrder() {
        let log = Log()
        let sources = ["a", "b", "c"].map { PublishSubject<Int>().noteLifetime(in: log, as: $0) }
        Observable.cascade(sources).subscribe().dispose()
        #expect(log.text == "a+ b+ c+ a- b- c-")
    }

    @Test func sourceStartedByDisposalReplacesEarlierOnes() {
        let log = Log()
        let (a, b, c) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let sources = [a.do(onDispose: { c.onNext(3) }), b.asObservable(), c.asObservable()]
        let subscription = Observable.cascade(sources).note(in: log)
        b.onNext(2)
        #expect(log.text == "3")
        #expect(!b.hasObservers)
        subscription.dispose()
    }

    @Test func laterSourceSilencesEarlierOnesInRace() throws {
        for _ in 0..<50 {
            let sources = (0..<3).map { _ in PublishSubject<Int>() }
            nonisolated(unsafe) var seen: [Int] = []
            let subscription = Observable.cascade(sources).subscribe(onNext: { seen.append($0) })
            try runConcurrently(threads: 3) { thread in
                for element in 0..<200 { sources[thread].onNext(thread * 1000 + element) }
                sources[thread].onCompleted()
            }
            #expect(seen == seen.sorted())
            #expect(seen.suffix(200) == Array(2000..<2200)[...])
            #expect(sources.allSatisfy { !$0.hasObservers })
            subscription.dispose()
        }
    }
}
