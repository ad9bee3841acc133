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

    @Test func aSourceTakesOverWithItsFirstElement() {
        cascading("{10}1{9}2{19}3", "{30}7{19}8{9}|").expect("{10}1{9}2{9}7{19}8{9}|", subscribed: "^{29}!", "^{59}!")
    }

    @Test func sourcesMayBeSkipped() {
        let result = cascading("{10}1{39}5", "{40}2", "{20}3{39}|")
        result.expect("{10}1{9}3{39}|", subscribed: "^{19}!", "^{19}!", "^{59}!")
    }

    @Test func itCompletesWhenAllThatAreLeftHave() {
        cascading("{10}1{9}|", "{30}7{9}|").expect("{10}1{19}7{9}|", subscribed: "^{19}!", "^{39}!")
        cascading("{10}1{29}|", "{20}|").expect("{10}1{29}|", subscribed: "^{39}!", "^{19}!")
        cascading("{30}|", "{20}|").expect("{30}|", subscribed: "^{29}!", "^{19}!")
        cascading("{20}|", "{10}1----2{14}|", "{20}|").expect(
            "{10}1----2{14}|", subscribed: "^{9}!", "^{29}!", "^{19}!")
    }

    @Test func withoutSourcesItCompletes() {
        cascading().expect("|")
    }

    @Test func theErrorOfAnyThatIsLeftEndsIt() {
        cascading("{10}1", "{20}#").expect("{10}1{9}#", subscribed: "^{19}!", "^{19}!")
        cascading("{30}#", "{20}7{19}|").expect("{20}7{19}|", subscribed: "^{19}!", "^{39}!")
    }

    @Test func sourcesThatEndAtOnceCount() {
        #expect(seen(Observable.cascade([Observable.just(1), .empty(), .just(2)])) == "1 2 completed")
        #expect(seen(Observable.cascade([Observable<Int>.empty(), .empty()])) == "completed")
        #expect(seen(Observable.cascade([Observable.error(TestError.a), .just(2)])) == "error(a)")
    }

    @Test func aSequenceMayBeFollowedByOthers() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = ["{10}1", "{20}2{9}|"].map { scheduler.hot($0).asObservable() }
        scheduler.start { sources[0].cascade([sources[1]]) }.expect("{10}1{9}2{9}|")
    }

    @Test func sourcesAreSubscribedAndDisposedInOrder() {
        let log = Log()
        let sources = ["a", "b", "c"].map { PublishSubject<Int>().noteLifetime(in: log, as: $0) }
        Observable.cascade(sources).subscribe().dispose()
        #expect(log.text == "a+ b+ c+ a- b- c-")
    }

    @Test func aSourceThatIsSetOffByADisposalTakesOver() {
        let log = Log()
        let (a, b, c) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let sources = [a.do(onDispose: { c.onNext(3) }), b.asObservable(), c.asObservable()]
        let subscription = Observable.cascade(sources).note(in: log)
        b.onNext(2)
        #expect(log.text == "3")
        #expect(!b.hasObservers)
        subscription.dispose()
    }

    @Test func noSourceSpeaksOnceALaterOneHasInARace() throws {
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
