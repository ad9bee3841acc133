import RxSwiftExt
import TestSupport
import Testing

struct NwiseTests {
    @Test func elementsComeWithThoseBeforeThem() {
        let text = outcome("210:1 220:2 230:3 240:4 250|") { $0.nwise(3) }
        #expect(text == "230:[1, 2, 3] 240:[2, 3, 4] 250| (200: 250)")
    }

    @Test func tooFewElementsAreNotSent() {
        #expect(outcome("210:1 220:2 230|") { $0.nwise(3) } == "230| (200: 230)")
    }

    @Test func elementsComeInPairs() {
        #expect(outcome("210:1 220:2 230:3 240!") { $0.pairwise() } == "220:(1, 2) 230:(2, 3) 240! (200: 240)")
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

    @Test func anElementThatSendsAsItGoesDoesNoHarm() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let log = Log()
        let subscription = source.nwise(2).note(in: log)
        source.onNext(tracker.make(1) { source.onNext(tracker.make(9)) })
        source.onNext(tracker.make(2))
        source.onNext(tracker.make(3))
        // What is evicted goes before its successors are delivered.
        #expect(log.text == "[1, 2] [3, 9] [2, 3]")
        subscription.dispose()
    }
}
