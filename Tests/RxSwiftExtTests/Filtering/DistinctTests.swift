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
        outcome("--1-2-1-3-2-|") { $0.distinct() }.expect("--1-2---3---|", subscribed: "^-----------!")
    }

    @Test func repetitionsAreLeftOutWithoutAHash() {
        let result = outcome("--1-2-1-|") { $0.map(Incomparable.init).distinct().map(\.value) }
        result.expect("--1-2---|", subscribed: "^-------!")
    }

    private struct Telling: Hashable {
        let value: Int
        let tell: () -> Void

        static func == (lhs: Telling, rhs: Telling) -> Bool {
            lhs.tell()
            return lhs.value == rhs.value
        }

        func hash(into hasher: inout Hasher) {
            tell()
            hasher.combine(value)
        }
    }

    @Test func elementPushedByHashFunctionIsRemembered() {
        let (source, log) = (PublishSubject<Telling>(), Log())
        let subscription = source.distinct().map(\.value).note(in: log)
        var isFirst = true
        source.onNext(Telling(value: 1) {})
        source.onNext(
            Telling(value: 2) {
                if isFirst {
                    isFirst = false
                    source.onNext(Telling(value: 7) {})
                }
            })
        for value in [7, 2, 1] { source.onNext(Telling(value: value) {}) }
        #expect(log.text == "1 7 2")
        subscription.dispose()
    }

    @Test func elementPushedByComparisonIsNotSentAgain() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) var isFirst = true
        let again = source.distinct { sent in
            if isFirst {
                isFirst = false
                source.onNext(2)
            }
            return sent == 2
        }
        let subscription = again.note(in: log)
        for value in [1, 2] { source.onNext(value) }
        #expect(log.text == "1 2")
        subscription.dispose()
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

    @Test func predicateIsCalledWithSentElements() {
        outcome("--1-2-3-1-|") { $0.distinct { $0 > 1 } }.expect("--1-2-----|", subscribed: "^---------!")
        outcome("--1-1-|") { $0.distinct { _ in false } }.expect("--1-1-|", subscribed: "^-----!")
        outcome("--1-2-|") { $0.distinct { _ in true } }.expect("--1---|", subscribed: "^-----!")
    }

    @Test func aThrownErrorEndsIt() {
        outcome("--1-2-3") { $0.distinct { try passing($0, unless: 2, false) } }
            .expect("--1-2-#", error: TestError.b, subscribed: "^-----!")
    }

    @Test func rememberedElementsAreFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.distinct().subscribe()
        for value in 0..<10 { source.onNext(tracker.make(value / 2)) }
        #expect(tracker.live == 5)
        source.onCompleted()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func distinctOnSharedSequenceOmitsRepeats() {
        shared("{10}1{9}2{9}1") { $0.asDriver(onErrorJustReturn: 9).distinct() }.expect("{11}1{9}2")
        shared("{10}1{9}2{9}3") { $0.asSignal(onErrorJustReturn: 9).distinct { $0 == 2 } }.expect("{11}1{9}2")
        let compared = shared("{10}1{9}2{9}1") {
            $0.map(Incomparable.init).asDriver(onErrorJustReturn: Incomparable(value: 9)).distinct()
        }
        compared.expect("{11}a{9}b", values: ["a": Incomparable(value: 1), "b": Incomparable(value: 2)])
    }

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
