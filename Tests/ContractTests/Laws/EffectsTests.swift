import Dispatch
import RxSwift
import TestSupport
import Testing

/// When `onNext` returns, the operator has acted on the element. For example, it has subscribed to an inner sequence.
/// The tests check this while the observer blocks another thread that delivers.
@Suite struct EffectsTests {
    /// An operator that flattens numbers. The inner sequence of each number is a subject.
    struct Flattening: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let isSubscribedAtOnce: Bool
        let apply: @Sendable (Observable<Int>, @escaping @Sendable (Int) -> PublishSubject<Int>) -> Observable<Int>

        init(
            _ name: String, subscribesAtOnce: Bool = true,
            _ apply:
                @escaping @Sendable (Observable<Int>, @escaping @Sendable (Int) -> PublishSubject<Int>) -> Observable<
                    Int
                >
        ) {
            testDescription = name
            isSubscribedAtOnce = subscribesAtOnce
            self.apply = apply
        }
    }

    static let flattenings = [
        Flattening("flatMap") { outer, inner in outer.flatMap(inner) },
        Flattening("flatMapLatest") { outer, inner in outer.flatMapLatest(inner) },
        Flattening("concatMap", subscribesAtOnce: false) { outer, inner in outer.concatMap(inner) },
        Flattening("map, merge()") { outer, inner in outer.map(inner).merge() },
        Flattening("map, merge(maxConcurrent: 2)") { outer, inner in outer.map(inner).merge(maxConcurrent: 2) },
        Flattening("map, concat()", subscribesAtOnce: false) { outer, inner in outer.map(inner).concat() },
        Flattening("map, switchLatest()") { outer, inner in outer.map(inner).switchLatest() },
        Flattening("Infallible.flatMap") { outer, inner in
            outer.asInfallible(onErrorJustReturn: 0).flatMap { inner($0).asInfallible(onErrorJustReturn: 0) }
                .asObservable()
        },
        Flattening("Infallible.flatMapLatest") { outer, inner in
            outer.asInfallible(onErrorJustReturn: 0).flatMapLatest { inner($0).asInfallible(onErrorJustReturn: 0) }
                .asObservable()
        },
        Flattening("groupBy, flatMap") { outer, inner in outer.groupBy { $0 }.flatMap { inner($0.key) } },
    ]

    @Test(arguments: flattenings)
    func outerElement_otherThreadDelivers_isSubscribedBeforeOnNextReturns(_ flattening: Flattening) throws {
        let outer = PublishSubject<Int>()
        let inners = (0...2).map { _ in PublishSubject<Int>() }
        let selected = Guarded<[Int]>([]), received = Guarded<[Int]>([])
        let (delivers, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let result = flattening.apply(outer) { number in
            selected.withLock { $0.append(number) }
            return inners[number]
        }
        let subscription = result.subscribe(onNext: { element in
            received.withLock { $0.append(element) }
            if element == 0 {
                delivers.signal()
                mayContinue.wait()
            }
        })
        defer { subscription.dispose() }
        outer.onNext(0)
        let ended = DispatchSemaphore(value: 0)
        startThread {
            inners[0].onNext(0)
            ended.signal()
        }
        delivers.wait()

        outer.onNext(1)
        let (hasSelected, hasSubscribed) = (selected.withLock { $0 }, inners[1].hasObservers)
        inners[1].onNext(10)
        mayContinue.signal()
        ended.wait()

        #expect(hasSelected == [0, 1])
        #expect(hasSubscribed == flattening.isSubscribedAtOnce)
        #expect(received.withLock { $0 } == (flattening.isSubscribedAtOnce ? [0, 10] : [0]))
    }

    @Test func maxConcurrent_completionWhileOtherThreadDelivers_subscribesNextBeforeItReturns() {
        let inners = (0...2).map { _ in PublishSubject<Int>() }
        let received = Guarded<[Int]>([])
        let (delivers, mayContinue, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = Observable.from(inners).merge(maxConcurrent: 2).subscribe(onNext: { element in
            received.withLock { $0.append(element) }
            if element == 0 {
                delivers.signal()
                mayContinue.wait()
            }
        })
        defer { subscription.dispose() }
        startThread {
            inners[0].onNext(0)
            ended.signal()
        }
        delivers.wait()

        inners[1].onNext(1)
        inners[1].onCompleted()
        let hasSubscribed = inners[2].hasObservers
        inners[2].onNext(2)
        mayContinue.signal()
        ended.wait()

        #expect(hasSubscribed)
        #expect(received.withLock { $0 } == [0, 1, 2])
    }

    @Test func flatMap_innerCompletesWhileOtherThreadDelivers_isTornDownBeforeItReturns() {
        let outer = PublishSubject<Observable<Int>>()
        let (busy, ending) = (PublishSubject<Int>(), PublishSubject<Int>())
        let isTornDown = Guarded(false)
        let (delivers, mayContinue, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = outer.flatMap { $0 }.subscribe(onNext: { element in
            if element == 0 {
                delivers.signal()
                mayContinue.wait()
            }
        })
        defer { subscription.dispose() }
        outer.onNext(busy)
        outer.onNext(ending.do(onDispose: { isTornDown.withLock { $0 = true } }))
        startThread {
            busy.onNext(0)
            ended.signal()
        }
        delivers.wait()

        ending.onCompleted()
        let wasTornDown = isTornDown.withLock { $0 }
        mayContinue.signal()
        ended.wait()

        #expect(wasTornDown)
    }

    @Test func flatMap_selectorThrowsWhileOtherThreadDelivers_selectsNothingMore() {
        let outer = PublishSubject<Int>(), busy = PublishSubject<Int>()
        let (selected, log) = (Guarded<[Int]>([]), Log())
        let (delivers, mayContinue, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = outer.flatMap { number throws -> PublishSubject<Int> in
            selected.withLock { $0.append(number) }
            if number == 1 { throw TestError.a }
            return busy
        }.subscribe(
            onNext: { element in
                log(element)
                delivers.signal()
                mayContinue.wait()
            }, onError: { _ in log("error") })
        defer { subscription.dispose() }
        outer.onNext(0)
        startThread {
            busy.onNext(0)
            ended.signal()
        }
        delivers.wait()

        outer.onNext(1)
        outer.onNext(2)
        mayContinue.signal()
        ended.wait()

        #expect(selected.withLock { $0 } == [0, 1])
        #expect(log.text == "0 error")
    }

    @Test func flatMapLatest_switchWhileOtherThreadDelivers_deliversWaitingElementsAndDropsLaterOnes() {
        let outer = PublishSubject<Observable<Int>>()
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log()
        let (delivers, mayContinue, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = outer.flatMapLatest { $0 }.subscribe(onNext: { element in
            log(element)
            if element == 0 {
                delivers.signal()
                mayContinue.wait()
            }
        })
        defer { subscription.dispose() }
        outer.onNext(first)
        startThread {
            first.onNext(0)
            ended.signal()
        }
        delivers.wait()

        outer.onNext(.just(1))
        outer.onNext(.just(2))
        outer.onNext(second)
        let isLeft = !first.hasObservers
        second.onNext(3)
        first.onNext(4)
        mayContinue.signal()
        ended.wait()

        #expect(isLeft)
        #expect(log.text == "0 1 2 3")
    }
}
