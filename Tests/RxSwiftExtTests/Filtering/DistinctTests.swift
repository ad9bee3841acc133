import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct DistinctTests {
    private struct Incomparable: Equatable, CustomStringConvertible {
        let value: Int
        var description: String { "\(value)" }
    }

    @Test func repetitionsAreLeftOut() {
        #expect(outcome("210:1 220:2 230:1 240:3 250:2 260|") { $0.distinct() } == "210:1 220:2 240:3 260| (200: 260)")
    }

    @Test func repetitionsAreLeftOutWithoutAHash() {
        let text = outcome("210:1 220:2 230:1 240|") { $0.map(Incomparable.init).distinct().map(\.value) }
        #expect(text == "210:1 220:2 240| (200: 240)")
    }

    @Test func eachSubscriptionRemembersOnItsOwn() {
        let hashed = Observable.of(1, 1).distinct()
        #expect(seen(hashed) == "1 completed")
        #expect(seen(hashed) == "1 completed")
        let compared = Observable.of(1, 1).map(Incomparable.init).distinct().map(\.value)
        #expect(seen(compared) == "1 completed")
        #expect(seen(compared) == "1 completed")
        let asked = Observable.of(1, 2).distinct { $0 == 1 }
        #expect(seen(asked) == "1 completed")
        #expect(seen(asked) == "1 completed")
    }

    @Test func thePredicateIsAskedAboutWhatWasSent() {
        #expect(outcome("210:1 220:2 230:3 240:1 250|") { $0.distinct { $0 > 1 } } == "210:1 220:2 250| (200: 250)")
        #expect(outcome("210:1 220:1 230|") { $0.distinct { _ in false } } == "210:1 220:1 230| (200: 230)")
        #expect(outcome("210:1 220:2 230|") { $0.distinct { _ in true } } == "210:1 230| (200: 230)")
    }

    @Test func aThrownErrorEndsIt() {
        #expect(
            outcome("210:1 220:2 230:3") { $0.distinct { try passing($0, unless: 2, false) } }
                == "210:1 220:2 230!b (200: 230)")
    }

    @Test func whatIsRememberedIsFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.distinct().subscribe()
        for value in 0..<10 { source.onNext(tracker.make(value / 2)) }
        #expect(tracker.live == 5)
        source.onCompleted()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func aSharedSequenceRemembersToo() {
        #expect(shared("210:1 220:2 230:1") { $0.asDriver(onErrorJustReturn: 9).distinct() } == "211:1 221:2")
        #expect(shared("210:1 220:2 230:3") { $0.asSignal(onErrorJustReturn: 9).distinct { $0 == 2 } } == "211:1 221:2")
        let compared = shared("210:1 220:2 230:1") {
            $0.map(Incomparable.init).asDriver(onErrorJustReturn: Incomparable(value: 9)).distinct()
        }
        #expect(compared == "211:1 221:2")
    }

    /// A source of several threads, which a gate lets in one after the other.
    @Test func eachElementIsSentOnceInARace() throws {
        for _ in 0..<50 {
            let source = PublishSubject<Int>()
            nonisolated(unsafe) var seen: [Int] = []
            let subscription = source.distinct().subscribe(onNext: { seen.append($0) })
            try runConcurrently(threads: 3) { _ in
                for element in 0..<100 { source.onNext(element) }
            }
            source.onCompleted()
            #expect(seen.sorted() == Array(0..<100))
            subscription.dispose()
        }
    }
}
