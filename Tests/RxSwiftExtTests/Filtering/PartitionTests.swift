import RxCocoa
import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct PartitionTests {
    @Test func elementsGoToOneHalfOrTheOther() {
        outcome("--1-2-3-|") { $0.partition { $0 == 2 }.matches }.expect("----2---|", subscribed: "^-------!")
        outcome("--1-2-3-|") { $0.partition { $0 == 2 }.nonMatches }
            .expect("--1---3-|", subscribed: "^-------!")
    }

    @Test func nilIsAnElement() {
        let halves = Observable<Int?>.of(nil, 1).partition { $0 == nil }
        #expect(seen(halves.matches) == "nil completed")
        #expect(seen(halves.nonMatches) == "Optional(1) completed")
    }

    @Test func bothShareASubscriptionAndAPredicate() {
        let log = Log()
        let source = PublishSubject<Int>()
        let halves = source.noteLifetime(in: log, as: "s").partition {
            log("ask")
            return $0 > 1
        }
        let subscriptions = [halves.matches.note(in: log, as: "m"), halves.nonMatches.note(in: log, as: "n")]
        source.onNext(1)
        source.onNext(2)
        subscriptions.forEach { $0.dispose() }
        #expect(log.text == "s+ ask n1 ask m2 s-")
    }

    @Test func aThrownErrorEndsBoth() {
        let log = Log()
        let source = PublishSubject<Int>()
        let halves = source.partition { _ in throw TestError.a }
        let subscriptions = [halves.matches.note(in: log, as: "m"), halves.nonMatches.note(in: log, as: "n")]
        source.onNext(1)
        #expect(log.text == "merror(a) nerror(a)")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func halvesOfSharedSequenceCallPredicateOnce() {
        let asked = Log()
        shared("{10}1{9}2") { source in
            let halves = source.asDriver(onErrorJustReturn: 9).partition {
                asked($0)
                return $0 == 1
            }
            return Driver.merge(halves.matches, halves.nonMatches)
        }.expect("{11}1{9}2")
        #expect(asked.text == "1 2")
    }

    @Test func partitionSplitsSharedSequence() {
        shared("{10}1{9}2") { $0.asDriver(onErrorJustReturn: 9).partition { $0 == 1 }.matches }.expect("{11}1")
        shared("{10}1{9}2") { $0.asSignal(onErrorJustReturn: 9).partition { $0 == 1 }.nonMatches }.expect("{21}2")
    }
}
