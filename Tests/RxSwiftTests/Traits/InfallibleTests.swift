import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

struct InfallibleTests {
    @Test func nothingComesAfterTheEnd() {
        let infallible = Infallible<Int>.create {
            $0(.next(1))
            $0(.completed)
            $0(.next(2))
            return Disposables.create()
        }
        #expect(seen(infallible) == "1 | disposed")
    }

    @Test func anErrorIsReplaced() {
        let failing = Observable.just(1).concat(Observable.error(TestError.a))
        #expect(seen(failing.asInfallible(onErrorJustReturn: 9)) == "1 9 | disposed")
        #expect(seen(failing.asInfallible(onErrorFallbackTo: .of(7, 8))) == "1 7 8 | disposed")
        #expect(seen(failing.asInfallible { .just($0 as? TestError == .a ? 5 : 6) }) == "1 5 | disposed")
    }

    @Test func aHandlerOfEventsTakesEach() {
        let log = Log()
        _ = Infallible.of(1, 2).subscribe { (event: InfallibleEvent<Int>) in log(event) }
        #expect(log.text == "next(1) next(2) completed")
    }

    @Test func operatorsAreTheObservables() {
        let source = Infallible.of(1, 1, 2, 3)
        #expect(seen(source.map { $0 * 2 }.filter { $0 > 2 }) == "4 6 | disposed")
        #expect(seen(source.distinctUntilChanged().scan(0) { $0 + $1 }) == "1 3 6 | disposed")
        #expect(seen(source.scan(into: 0) { $0 -= $1 }.startWith(9)) == "9 -1 -2 -4 -7 | disposed")
        #expect(seen(source.take(2).concat(Infallible.just(5))) == "1 1 5 | disposed")
        #expect(seen(source.skip(while: { $0 < 2 }).take(while: { $0 < 3 })) == "2 | disposed")
        #expect(seen(source.take(until: { $0 == 2 }, behavior: .inclusive)) == "1 1 2 | disposed")
    }

    @Test func innerSequencesAreFlattened() {
        let source = Infallible.of(1, 2)
        #expect(seen(source.concatMap { Infallible.of($0, $0 * 10) }) == "1 10 2 20 | disposed")
        #expect(seen(source.flatMapLatest { Infallible.of($0, $0 * 10) }) == "1 2 20 | disposed")
        #expect(seen(source.flatMapFirst { Infallible.of($0, $0 * 10) }) == "1 10 | disposed")
        #expect(seen(Observable.of(1, 2).flatMapLatest { Infallible.just($0) } as Infallible<Int>) == "1 2 | disposed")
    }

    @Test func severalSourcesAreCombined() {
        let (odd, even) = (Infallible.of(1, 3), Infallible.of(2, 4))
        #expect(seen(Infallible.combineLatest(odd, even) { $0 * 10 + $1 }) == "12 32 34 | disposed")
        #expect(seen(Infallible.zip(odd, even) { $0 * 10 + $1 }) == "12 34 | disposed")
        #expect(seen(Infallible.merge(odd, even)) == "1 2 3 4 | disposed")
        #expect(seen(Infallible.combineLatest([odd, even])) == "[1, 2] [3, 2] [3, 4] | disposed")
    }

    @Test func timeIsTheObservables() {
        let time = TestScheduler(initialClock: 0)
        let source = time.hot("{10}1{9}2{79}3{99}|").asInfallible(onErrorJustReturn: 0)
        time.start { source.debounce(.seconds(50), scheduler: time) }.expect("{70}2{79}3{49}|")
    }

    @Test func throttleLeavesTheLatestOutWhereItIsToldTo() {
        let time = TestScheduler(initialClock: 0)
        let source = time.hot("-12-----3|").asInfallible(onErrorJustReturn: 0)
        time.start { source.throttle(.seconds(3), latest: false, scheduler: time) }.expect("-1------3|")
    }

    @Test func aRelayIsOneAsItIs() {
        let relay = BehaviorRelay(value: 1)
        let log = Log()
        let subscription = relay.asInfallible().subscribe(onNext: { log($0) })
        relay.accept(2)
        subscription.dispose()
        relay.accept(3)
        #expect(log.text == "1 2")
    }
}
