import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

struct InfallibleTests {
    @Test func elementsAfterCompletionAreDropped() {
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

    @Test func eventHandlerReceivesEachEvent() {
        let log = Log()
        _ = Infallible.of(1, 2).subscribe { (event: InfallibleEvent<Int>) in log(event) }
        #expect(log.text == "next(1) next(2) completed")
    }

    @Test func handlersGetTheirObject() {
        let log = Log()
        _ = Infallible.of(1, 2).subscribe(
            with: log, onNext: { log, element in log(element) }, onCompleted: { log in log("|") },
            onDisposed: { log in log("disposed") })
        #expect(log.text == "1 2 | disposed")
    }

    @Test func creationDeliversOnGivenScheduler() {
        inTime { Infallible.of(1, 2, scheduler: $0) }.expect("-12|")
        inTime { Infallible.from([1, 2], scheduler: $0) }.expect("-12|")
        inTime { Infallible.from(AnySequence([1, 2]), scheduler: $0) }.expect("-12|")
    }

    private func inTime(_ make: @escaping (TestScheduler) -> Infallible<Int>) -> TestableObserver<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start { make(scheduler) }
    }

    @Test func doSeesEachEventBeforeAndAfterItsObserver() {
        let log = Log()
        nonisolated(unsafe) var observer: Infallible<Int>.InfallibleObserver?
        let source = Infallible<Int>.create {
            observer = $0
            return Disposables.create()
        }
        _ = source.do(
            onNext: { log("on\($0)") }, afterNext: { log("after\($0)") }, onCompleted: { log("on|") },
            afterCompleted: { log("after|") }, onSubscribe: { log("subscribe") }, onSubscribed: { log("subscribed") },
            onDispose: { log("dispose") }
        ).subscribe(onNext: { log($0) }, onCompleted: { log("|") })
        observer?(.next(1))
        observer?(.completed)
        #expect(log.text == "subscribe subscribed on1 1 after1 on| | after| dispose")
    }

    @Test func takeWhileInclusiveSendsLastElement() {
        #expect(seen(Infallible.of(1, 2, 3).take(while: { $0 < 2 }, behavior: .inclusive)) == "1 2 | disposed")
    }

    @Test func foreverScopedShareKeepsElement() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.asInfallible(onErrorJustReturn: 0).share(replay: 1, scope: .forever)
        let first = shared.subscribe(onNext: { _ in })
        source.onNext(1)
        first.dispose()
        shared.subscribe(onNext: { log($0) }).dispose()
        #expect(log.text == "1")
    }

    @Test func oneFollowsTheOtherInEachFormOfConcat() {
        let (odd, even) = (Infallible.of(1, 3), Infallible.of(2, 4))
        #expect(seen(Infallible.concat([odd, even])) == "1 3 2 4 | disposed")
        #expect(seen(Infallible.concat(AnySequence([odd, even]))) == "1 3 2 4 | disposed")
        #expect(seen(Infallible.concat(odd, even)) == "1 3 2 4 | disposed")
    }

    @Test func concatFetchesNextAfterCompletion() {
        let (first, log) = (PublishSubject<Int>(), Log())
        let all = AnySequence { () -> AnyIterator<Infallible<Int>> in
            var number = 0
            return AnyIterator {
                number += 1
                log("take\(number)")
                return number == 1 ? first.asInfallible(onErrorJustReturn: 0) : Infallible<Int>.never()
            }
        }
        let subscription = Infallible.concat(all.prefix(3)).subscribe(onNext: { log($0) })
        log("-")
        first.onCompleted()
        #expect(log.text == "take1 - take2")
        subscription.dispose()
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

    @Test func eachDistinctUntilChangedOverloadUsesItsComparison() {
        let source = Infallible.of(3, 12, 1, 5)
        #expect(seen(source.distinctUntilChanged { $0 % 2 }) == "3 12 1 | disposed")
        #expect(seen(source.distinctUntilChanged(at: \.description.count)) == "3 12 1 | disposed")
        #expect(seen(source.distinctUntilChanged { $0 < $1 }) == "3 1 | disposed")
        #expect(seen(source.distinctUntilChanged({ $0 % 10 }, comparer: { $0 < $1 })) == "3 12 1 | disposed")
    }

    @Test func takeUntilExcludesLastElementByDefault() {
        let source = Infallible.of(1, 2, 3)
        #expect(seen(source.take(until: { $0 == 2 })) == "1 | disposed")
        #expect(seen(source.take(until: { $0 == 2 }, behavior: .exclusive)) == "1 | disposed")
    }

    @Test func mergeSubscribesToAllAtOnceInEachOfItsForms() {
        let log = Log()
        let both = [1, 2].map { number in Infallible<Int>.never().do(onSubscribe: { log(number) }) }
        let subscriptions = [
            Infallible.merge(both).subscribe(), Infallible.merge(AnyCollection(both)).subscribe(),
            Infallible.merge(both[0], both[1]).subscribe(),
        ]
        #expect(log.text == "1 2 1 2 1 2")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func flatMapListensToAllInnerSequencesAtOnce() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let inners = [PublishSubject<String>(), PublishSubject<String>()]
        let subscription = source.asInfallible(onErrorJustReturn: 0).flatMap { inners[$0] }
            .subscribe(onNext: { log($0) })
        [0, 1].forEach(source.onNext)
        inners[1].onNext("b")
        inners[0].onNext("a")
        #expect(log.text == "b a")
        subscription.dispose()
    }

    @Test func withLatestFromSendsWithTheFirstAloneInBothForms() {
        let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let left = first.asInfallible(onErrorJustReturn: 0)
        let right = second.asInfallible(onErrorJustReturn: 0)
        let pairs: Infallible<Int> = left.withLatestFrom(right) { $0 * 10 + $1 }
        let subscriptions = [
            left.withLatestFrom(right).subscribe(onNext: { log($0) }), pairs.subscribe(onNext: { log("=\($0)") }),
        ]
        second.onNext(7)
        first.onNext(1)
        second.onNext(8)
        first.onNext(2)
        #expect(log.text == "7 =17 8 =28")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func aResultOfTheLatestOfACollectionIsSentWithEachElement() {
        let sources = [Infallible.of(1, 3), Infallible.of(2, 4)]
        let rows: Infallible<Int> = Infallible.combineLatest(sources) { (row: [Int]) in row[0] * 10 + row[1] }
        #expect(seen(rows) == "12 32 34 | disposed")
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

    @Test func throttleWithoutLatestDropsLatest() {
        let time = TestScheduler(initialClock: 0)
        let source = time.hot("-12-----3|").asInfallible(onErrorJustReturn: 0)
        time.start { source.throttle(.seconds(3), latest: false, scheduler: time) }.expect("-1------3|")
    }

    @Test func asInfallibleOfRelaySendsElements() {
        let relay = BehaviorRelay(value: 1)
        let log = Log()
        let subscription = relay.asInfallible().subscribe(onNext: { log($0) })
        relay.accept(2)
        subscription.dispose()
        relay.accept(3)
        #expect(log.text == "1 2")
    }

    @Test func shareReplaysNothingByDefault() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        let source = subject.asInfallible(onErrorJustReturn: 0)
        for shared in [source.share(), source.share(replay: 1)] {
            let first = shared.subscribe(onNext: { _ in })
            subject.onNext(1)
            let second = shared.subscribe(onNext: { log($0) })
            log("-")
            first.dispose()
            second.dispose()
        }
        #expect(log.text == "- 1 -")
    }
}
