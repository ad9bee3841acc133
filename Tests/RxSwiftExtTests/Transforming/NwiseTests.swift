import RxSwiftExt
import TestSupport
import Testing

struct NwiseTests {
    @Test func elementsAreGroupedWithPredecessors() {
        let result = outcome("--1-2-3-4-|") { $0.nwise(3) }
        result.expect("------a-b-|", values: ["a": [1, 2, 3], "b": [2, 3, 4]], subscribed: "^---------!")
    }

    @Test func tooFewElementsAreNotSent() {
        outcome("--1-2-|") { $0.nwise(3) }.expect("------|", subscribed: "^-----!")
    }

    @Test func elementsComeInPairs() {
        outcome("--1-2-3-#") { $0.pairwise().map { [$0, $1] } }
            .expect("----a-b-#", values: ["a": [1, 2], "b": [2, 3]], subscribed: "^-------!")
    }

    @Test func eachSubscriptionCollectsOnItsOwn() {
        let triples = Observable.of(1, 2, 3).nwise(3)
        #expect(seen(triples) == "[1, 2, 3] completed")
        #expect(seen(triples) == "[1, 2, 3] completed")
        let pairs = Observable.of(1, 2).pairwise()
        #expect(seen(pairs) == "(1, 2) completed")
        #expect(seen(pairs) == "(1, 2) completed")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).pairwise()) == "(nil, Optional(1)) completed")
    }

    @Test func noMoreThanNElementsAreKept() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.nwise(3).subscribe()
        for value in 0..<10 { source.onNext(tracker.make(value)) }
        #expect(tracker.live == 3)
        source.onCompleted()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func evictedElementMaySendFromDeinit() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let log = Log()
        let subscription = source.nwise(2).note(in: log)
        source.onNext(tracker.make(1) { source.onNext(tracker.make(9)) })
        source.onNext(tracker.make(2))
        source.onNext(tracker.make(3))
        #expect(log.text == "[1, 2] [3, 9] [2, 3]")
        subscription.dispose()
    }

    #if DEBUG
        @Test func fewerThanTwoAreAMistake() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable.of(1, 2).nwise(1)
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("n must be greater than 1"))
        }
    #endif
}
