import RxOperators
import TestSupport
import Testing

struct ReduceIntoTests {
    private func total(_ source: String) -> Outcome<Int> { outcome(source) { $0.reduce(into: 1) { $0 += $1 } } }

    @Test func reduceIntoCompletedSendsResult() {
        total("-1-2-|").expect("-----(4|)", subscribed: "^----!")
        total("---|").expect("---(1|)", subscribed: "^--!")
    }

    @Test func reduceIntoErrorDropsResult() {
        total("-1-2-#").expect("-----#", subscribed: "^----!")
        outcome("-1-2-|") { $0.reduce(into: 1) { _, element in _ = try passing(element, unless: 2, ()) } }
            .expect("---#", error: TestError.b, subscribed: "^--!")
    }

    @Test func reduceIntoSecondSubscriptionBeginsWithTheSeed() {
        let all = Observable.of(1, 2).reduce(into: [Int]()) { $0.append($1) }
        #expect(seen(all) == "[1, 2] completed")
        #expect(seen(all) == "[1, 2] completed")
    }

    @Test func reduceIntoManyElementsIsNotCopied() {
        nonisolated(unsafe) var copies: Set<UnsafeRawPointer> = []
        _ = Observable.range(start: 0, count: 100).reduce(into: [Int](repeating: 0, count: 100)) { array, element in
            array[element] = element
            array.withUnsafeBytes { _ = copies.insert($0.baseAddress!) }
        }
        .subscribe()
        // Only the first change copies the seed, which the operator retains.
        #expect(copies.count == 1)
    }

    @Test func reduceIntoAccumulatorPushesAccumulatesElementAfterwards() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.reduce(into: [Int]()) { elements, element in
            if element < 3 {
                source.onNext(element + 1)
                source.onNext(element + 10)
            }
            elements.append(element)
        }
        .note(in: log)
        source.onNext(1)
        source.onCompleted()
        subscription.dispose()
        #expect(log.text == "[1, 2, 11, 3, 12] completed")
    }

    @Test func reduceIntoAccumulatorCompletesSourceFails() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.reduce(into: 0) { sum, element in
            source.onCompleted()
            sum += element
        }
        .note(in: log)
        source.onNext(1)
        subscription.dispose()
        #expect(log.text == "error(\(RxError.noElements))")
    }
}
