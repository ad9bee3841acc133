import Dispatch
import RxOperators
import RxTest
import TestSupport
import Testing

struct FlatMapOrderedTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func ordered(_ source: String, maxConcurrent: Int = .max, _ inners: String...) -> Outcome<Int> {
        let inners = inners.map { scheduler.cold($0) }
        let result = outcome(source, on: scheduler) {
            $0.flatMapOrdered(maxConcurrent: maxConcurrent) { inners[$0] }
        }
        return Outcome(result.observer, result.sources + inners)
    }

    @Test func flatMapOrderedLaterSequenceFasterWaitsForTheEarlierOne() {
        ordered("-01|", "---5-6|", "-7|").expect("----5-6(7|)", subscribed: "^--!", "-^-----!", "--^-!")
    }

    @Test func flatMapOrderedHeadCompletesEarlyLaterElementsComeAtOnce() {
        ordered("-01|", "-5|", "--7--8|").expect("--5-7--8|", subscribed: "^--!", "-^-!", "--^-----!")
    }

    @Test func flatMapOrderedMaxConcurrentPlaceIsFreeAfterDelivery() {
        ordered("-012|", maxConcurrent: 2, "----5|", "-6|", "-7|")
            .expect("-----567|", subscribed: "^---!", "-^----!", "--^-!", "------^-!")
    }

    @Test func flatMapOrderedInnerErrorEndsAtOnce() {
        ordered("-01|", "---5-6|", "-#").expect("---#", subscribed: "^--!", "-^-!", "--^!")
    }

    @Test func flatMapOrderedSelectorThrowsFails() {
        outcome("-1-2-|") { $0.flatMapOrdered { Observable.just(try passing($0, unless: 2, $0)) } }
            .expect("-1-#", error: TestError.b, subscribed: "^--!")
    }

    @Test func flatMapOrderedSourceCompletesWaitsForSequences() {
        ordered("-0|", "---5|").expect("----5|", subscribed: "^-!", "-^---!")
    }

    @Test func flatMapOrderedManyElementsFitASmallStack() throws {
        for limit in [1, 3] {
            let count = try runOnThread(stackSize: 512 * 1024) {
                nonisolated(unsafe) var count = 0
                let first = PublishSubject<Int>()
                let subscription = Observable.range(start: 0, count: 100_000)
                    .flatMapOrdered(maxConcurrent: limit) { $0 == 0 ? first.asObservable() : .just(1) }
                    .subscribe(onNext: { count += $0 })
                first.onCompleted()
                subscription.dispose()
                return count
            }
            #expect(count == 99_999)
        }
    }

    @Test func flatMapOrderedObserverPushesIntoTheHeadDeliversInOrder() {
        let (outer, first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let subscription = outer.flatMapOrdered { $0 == 0 ? first : second }.subscribe(onNext: { element in
            log(element)
            if element == 1 { second.onNext(3) }
        })
        outer.onNext(0)
        outer.onNext(1)
        second.onNext(1)
        second.onNext(2)
        first.onCompleted()
        second.onNext(4)
        subscription.dispose()
        #expect(log.text == "1 2 3 4")
    }

    @Test func flatMapOrderedWaitingSequenceSendsDuringSubscribeDeliversAtOnce() {
        let (outer, first, sent, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Guarded(0), Log())
        let numbers = Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
        let subscription = outer.flatMapOrdered(maxConcurrent: 1) { $0 == 0 ? first.asObservable() : numbers }
            .take(3).subscribe(onNext: { log($0) })
        outer.onNext(0)
        outer.onNext(1)
        first.onCompleted()
        #expect(log.text == "0 1 2")
        #expect(sent.withLock { $0 } == 3)
        subscription.dispose()
    }

    @Test func flatMapOrderedOtherThreadDeliversSelectsAndSubscribesBeforeOnNextReturns() {
        let outer = PublishSubject<Int>()
        let inners = (0...1).map { _ in PublishSubject<Int>() }
        let log = Log()
        let (delivers, mayContinue, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = outer.flatMapOrdered { inners[$0] }.subscribe(onNext: { element in
            log(element)
            if element == 0 {
                delivers.signal()
                mayContinue.wait()
            }
        })
        defer { subscription.dispose() }
        outer.onNext(0)
        startThread {
            inners[0].onNext(0)
            ended.signal()
        }
        delivers.wait()
        outer.onNext(1)
        let hasSubscribed = inners[1].hasObservers
        inners[1].onNext(10)
        inners[0].onCompleted()
        mayContinue.signal()
        ended.wait()
        #expect(hasSubscribed)
        #expect(log.text == "0 10")
    }

    @Test func flatMapOrderedSequencesSendFromManyThreadsOrderIsThatOfTheSource() {
        let numbers = Guarded<[Int]>([])
        let pool = ConcurrentDispatchQueueScheduler(qos: .default)
        let done = DispatchSemaphore(value: 0)
        let subscription = Observable.range(start: 0, count: 2_000)
            .flatMapOrdered(maxConcurrent: 8) { number in
                Observable.of(number, number).observe(on: pool)
            }
            .subscribe(
                onNext: { number in numbers.withLock { $0.append(number) } }, onCompleted: { done.signal() })
        done.wait()
        subscription.dispose()
        #expect(numbers.withLock { $0 } == (0..<2_000).flatMap { [$0, $0] })
    }

    @Test(arguments: [1, 2]) func flatMapOrderedLaterSequenceInABoundedChainPausesAtTheBound(maxConcurrent: Int) {
        let (outer, first, sent) = (PublishSubject<Int>(), PublishSubject<Int>(), Guarded(0))
        let numbers = Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
        let log = Log()
        let subscription =
            outer
            .flatMapOrdered(maxConcurrent: maxConcurrent) { $0 == 0 ? first.asObservable() : numbers }
            .observe(on: scheduler).bounded(4)
            .subscribe(onNext: { log($0) })
        outer.onNext(0)
        outer.onNext(1)
        scheduler.advanceTo(1_000)
        #expect(sent.withLock { $0 } < 20)
        first.onCompleted()
        #expect(sent.withLock { $0 } < 20)
        scheduler.advanceTo(3_000)
        #expect(log.entries == (0..<100).map(String.init))
        subscription.dispose()
    }

    @Test func flatMapOrderedMaxConcurrentZeroStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).flatMapOrdered(maxConcurrent: 0) { Observable.just($0) }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("maxConcurrent must be at least 1 (flatMapOrdered, maxConcurrent: 0)"))
    }
}
