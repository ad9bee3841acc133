import RxOperators
import RxTest
import TestSupport
import Testing

struct InnerCompositionTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func flatMapToASequenceAsCompositionSendsItsElements() {
        outcome("-1-2-|") { $0.flatMap { Observable.from([$0, $0 + 5]) } }
            .expect("-(16)-(27)-|", subscribed: "^----!")
    }

    @Test func flatMapWithTheIndexAsCompositionPassesTheIndex() {
        outcome("-5-5-|") { $0.enumerated().flatMap { index, element in Observable.just(index + element) } }
            .expect("-5-6-|", subscribed: "^----!")
    }

    @Test func flatMapWithAPairSelectorAsCompositionCombinesBoth() {
        outcome("-1-2-|") { $0.flatMap { outer in Observable.of(3, 4).map { outer + $0 } } }
            .expect("-(45)-(56)-|", subscribed: "^----!")
    }

    @Test func flatMapOfAllEventsAsCompositionReplacesTheEnd() {
        @Sendable func selected(_ event: Event<Int>) -> Observable<Int> {
            switch event {
            case .next(let element): .just(element)
            case .error: .just(8)
            case .completed: .just(9)
            }
        }
        outcome("-1-|") { $0.materialize().flatMap(selected) }.expect("-1-(9|)", subscribed: "^--!")
        outcome("-1-#") { $0.materialize().flatMap(selected) }.expect("-1-(8|)", subscribed: "^--!")
    }

    /// The first element's work waits for the second element's work.
    @Test func flatMapOrderedOfAsynchronousWorkAsCompositionRunsAtOnceAndKeepsTheOrder() async throws {
        let (second, continuation) = AsyncStream<Void>.makeStream()
        let results = Observable.of(1, 2).flatMapOrdered { element in
            Single<Int>.create {
                if element == 1 { for await _ in second {} } else { continuation.finish() }
                return element + 5
            }
        }
        #expect(try await results.toArray().value == [6, 7])
    }

    @Test func withLatestFromSeveralAsCompositionWaitsForAll() {
        let (second, third) = (scheduler.hot("-1---"), scheduler.hot("---2-"))
        outcome("--5--6|", on: scheduler) {
            $0.withLatestFrom(Observable.combineLatest(second, third)) { $0 + $1.0 + $1.1 }
        }
        .expect("-----9|", subscribed: "^-----!")
    }

    @Test func prependAndAppendOfASequenceAsCompositionSurroundTheSource() {
        outcome("-1|") { Observable.from([7, 8]).concat($0).concat(Observable.from([9])) }
            .expect("(78)1(9|)", subscribed: "^-!")
    }

    @Test func groupByWithAnElementSelectorAsCompositionMapsTheGroups() {
        outcome("-1-2-|") { source in
            source.groupBy { $0 % 2 }
                .map { GroupedObservable(key: $0.key, source: $0.map { $0 + 3 }) }
                .flatMap { $0 }
        }
        .expect("-4-5-|", subscribed: "^----!")
    }

    @Test func publishWithASelectorAsCompositionSubscribesOnce() {
        outcome("-1-2-3|") {
            $0.multicast(
                { PublishSubject<Int>() }, selector: { shared in Observable.zip(shared, shared.skip(1)) { $0 + $1 } })
        }
        .expect("---3-5|", subscribed: "^-----!")
    }

    @Test func replayWithASelectorAsCompositionSubscribesOnceAndReplays() {
        outcome("-1-2|") { source in
            source.multicast({ ReplaySubject<Int>.create(bufferSize: 1) }, selector: { $0.concat($0.take(1)) })
        }
        .expect("-1-2(2|)", subscribed: "^---!")
    }
}
