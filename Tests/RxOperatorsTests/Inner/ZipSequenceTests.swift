import RxOperators
import TestSupport
import Testing

struct ZipSequenceTests {
    @Test func zipWithASequenceShorterCompletesWithItsLastElement() {
        outcome("-1-2-3-|") { $0.zip([10, 20]).map { $0.0 + $0.1 } }
            .expect("-a-(b|)", values: ["a": 11, "b": 22], subscribed: "^--!")
    }

    @Test func zipWithAnInfiniteSequenceCompletesWithTheSource() {
        outcome("-5-6-|") { $0.zip(1...).map { $0.0 + $0.1 } }.expect("-6-8-|", subscribed: "^----!")
    }

    @Test func zipWithAnEmptySequenceCompletesAtTheFirstElement() {
        outcome("-1-2-|") { $0.zip([Int]()).map { $0.0 } }.expect("-|", subscribed: "^!")
        outcome("---#") { $0.zip([Int]()).map { $0.0 } }.expect("---#", subscribed: "^--!")
    }

    @Test func zipWithASequenceSubscribedTwiceMakesTwoIterators() {
        let pairs = Observable.of(1, 2).zip(10...).map { $0.1 }
        #expect(seen(pairs) == "10 11 completed")
        #expect(seen(pairs) == "10 11 completed")
    }

    @Test func zipWithASequenceIteratorPushesEndsTheNestedElement() {
        let source = PublishSubject<Int>()
        var isFirst = true
        let numbers = AnySequence<Int> {
            AnyIterator {
                guard isFirst, source.hasObservers else { return 7 }
                isFirst = false
                source.onNext(2)
                return 8
            }
        }
        let log = Log()
        let subscription = source.zip(numbers).subscribe(onNext: { log($0) }, onCompleted: { log("|") })
        source.onNext(1)
        subscription.dispose()
        #expect(log.text == "|")
    }
}
