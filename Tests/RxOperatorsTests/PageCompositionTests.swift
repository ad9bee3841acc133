import RxOperators
import RxTest
import TestSupport
import Testing

struct PageCompositionTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func fromCallableAsCompositionCallsOncePerSubscription() {
        let calls = Guarded(0)
        let source = Observable<Int>.deferred {
            .just(
                calls.withLock { calls in
                    calls += 1
                    return calls
                })
        }
        #expect(calls.withLock { $0 } == 0)
        #expect(seen(source) == "1 completed")
        #expect(seen(source) == "2 completed")
    }

    @Test func iifAsCompositionChoosesAtTheSubscription() {
        let isFirst = Guarded(true)
        let source = Observable<Int>.deferred { isFirst.withLock { $0 } ? .just(1) : .just(2) }
        #expect(seen(source) == "1 completed")
        isFirst.withLock { $0 = false }
        #expect(seen(source) == "2 completed")
    }

    @Test func flatMapWithALimitAsCompositionRunsOneAtATime() {
        let inner = scheduler.cold("--5|")
        outcome("-01-|", on: scheduler) { $0.map { _ in inner }.merge(maxConcurrent: 1) }
            .expect("---5--5|", subscribed: "^---!")
        inner.expectSubscriptions("-^--!", "----^--!")
    }

    @Test func exhaustAllAsCompositionDropsSequencesWhileOneRuns() {
        let inner = scheduler.cold("--5|")
        outcome("-01-|", on: scheduler) { $0.map { _ in inner }.flatMapFirst { $0 } }
            .expect("---5|", subscribed: "^---!")
        inner.expectSubscriptions("-^--!")
    }

    @Test func findIndexAsCompositionSendsTheFirstIndex() {
        outcome("-5-6-6-|") { $0.enumerated().filter { $0.element == 6 }.map { $0.index }.take(1) }
            .expect("---(1|)", subscribed: "^--!")
    }

    @Test func forkJoinAsCompositionSendsTheLastElements() {
        let other = scheduler.hot("-3-4-|")
        outcome("-1-2|", on: scheduler) { Observable.zip($0.takeLast(1), other.takeLast(1)) { $0 + $1 } }
            .expect("-----(6|)", subscribed: "^---!")
    }

    @Test func onErrorResumeNextAsCompositionContinuesAndCompletes() {
        let next = scheduler.hot("----5|")
        outcome("-1#", on: scheduler) {
            Observable.concat([$0, next.asObservable()], delayingErrors: true).onErrorComplete(where: { _ in true })
        }
        .expect("-1--5|", subscribed: "^-!")
    }

    @Test func cacheAsCompositionSubscribesOnceAndReplays() {
        let calls = Guarded(0)
        let source = Observable<Int>.deferred {
            calls.withLock { $0 += 1 }
            return Observable.of(1, 2).concat(Observable.never())
        }
        let connection = SerialDisposable()
        let cached = source.replay(2).autoConnect { connection.disposable = $0 }
        let log = Log()
        for name in ["a", "b"] { cached.subscribe(onNext: { log("\(name)\($0)") }).dispose() }
        #expect(log.text == "a1 a2 b1 b2")
        #expect(calls.withLock { $0 } == 1)
        connection.dispose()
    }
}
