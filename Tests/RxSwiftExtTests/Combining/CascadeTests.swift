import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct CascadeTests {
    private func cascading(_ sources: String...) -> String {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = sources.map { scheduler.hot($0) }
        let observer = scheduler.start { Observable.cascade(sources) }
        return ([observer.marble] + sources.map(\.subscribed)).joined(separator: " ")
    }

    @Test func aSourceTakesOverWithItsFirstElement() {
        #expect(
            cascading("210:1 220:2 240:3", "230:7 250:8 260|") == "210:1 220:2 230:7 250:8 260| (200: 230) (200: 260)")
    }

    @Test func sourcesMayBeSkipped() {
        let text = cascading("210:1 250:5", "240:2", "220:3 260|")
        #expect(text == "210:1 220:3 260| (200: 220) (200: 220) (200: 260)")
    }

    @Test func itCompletesWhenAllThatAreLeftHave() {
        #expect(cascading("210:1 220|", "230:7 240|") == "210:1 230:7 240| (200: 220) (200: 240)")
        #expect(cascading("210:1 240|", "220|") == "210:1 240| (200: 240) (200: 220)")
        #expect(cascading("230|", "220|") == "230| (200: 230) (200: 220)")
        #expect(cascading("220|", "210:1 215:2 230|", "220|") == "210:1 215:2 230| (200: 210) (200: 230) (200: 220)")
    }

    @Test func withoutSourcesItCompletes() {
        #expect(cascading() == "200|")
    }

    @Test func theErrorOfAnyThatIsLeftEndsIt() {
        #expect(cascading("210:1", "220!") == "210:1 220! (200: 220) (200: 220)")
        #expect(cascading("230!", "220:7 240|") == "220:7 240| (200: 220) (200: 240)")
    }

    @Test func sourcesThatEndAtOnceCount() {
        #expect(seen(Observable.cascade([Observable.just(1), .empty(), .just(2)])) == "1 2 completed")
        #expect(seen(Observable.cascade([Observable<Int>.empty(), .empty()])) == "completed")
        #expect(seen(Observable.cascade([Observable.error(TestError.a), .just(2)])) == "error(a)")
    }

    @Test func aSequenceMayBeFollowedByOthers() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = ["210:1", "220:2 230|"].map { scheduler.hot($0).asObservable() }
        #expect(scheduler.start { sources[0].cascade([sources[1]]) }.marble == "210:1 220:2 230|")
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
