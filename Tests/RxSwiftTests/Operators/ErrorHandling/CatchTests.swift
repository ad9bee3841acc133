import RxSwift
import RxTest
import TestSupport
import Testing

struct CatchTests {
    private let log = Log()

    @Test func errorSwitchesToHandlerSequence() {
        let scheduler = TestScheduler(initialClock: 0)
        let other = scheduler.cold("--7-|")
        let source = scheduler.hot("--1-#")
        scheduler.start { source.catch { _ in other.asObservable() } }.expect("--1---7-|")
        source.expectSubscriptions("^---!")
        other.expectSubscriptions("----^---!")
    }

    @Test func doesNotCatchTwice() {
        #expect(seen(Observable<Int>.error(TestError.a).catch { _ in .error(TestError.b) }) == "error(b)")
    }

    @Test func handlerErrorEndsTheSequence() {
        outcome("--1-#") { $0.catch { _ in throw TestError.b } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func successfulSequencePasses() {
        outcome("--1-|") { $0.catch { _ in .just(9) } }.expect("--1-|", subscribed: "^---!")
        #expect(seen(Observable.just(1).catch { _ in .just(9) }) == "1 completed")
    }

    @Test func sendsAnElementInstead() {
        outcome("--1-#") { $0.catchAndReturn(9) }.expect("--1-(9|)", subscribed: "^---!")
    }

    @Test func handlerSequenceIsSubscribedBeforeFailedSourceIsDisposed() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = log
        let all = first.noteLifetime(in: log, as: "a").catch { _ in second.noteLifetime(in: log, as: "b") }
        let subscription = all.noteLifetime(in: log, as: "c").note(in: log)
        first.onError(TestError.a)
        #expect(log.take() == "c+ a+ b+ a-")
        subscription.dispose()
        #expect(log.text == "b- c-")
    }

    @Test func endlessHandlerSequenceStopsWithTheSubscription() {
        let first = PublishSubject<Int>()
        _ = first.catch { _ in .repeatElement(1) }.take(2).note(in: log)
        first.onError(TestError.a)
        #expect(log.text == "1 1 completed")
    }

    @Test func completionAfterErrorDoesNotEndHandlerSequence() {
        let other = PublishSubject<Int>()
        // `just` still completes after `map` has thrown.
        _ = Observable.just(1).map { _ -> Int in throw TestError.a }.catch { _ in other.asObservable() }.note(in: log)
        other.onNext(2)
        #expect(log.text == "2")
        other.onCompleted()
        #expect(log.text == "2 completed")
    }

    @Test func handlerThatDisposesIsNotFollowedBySubscription() {
        let (source, subscription) = (PublishSubject<Int>(), SerialDisposable())
        subscription.disposable = source.catch { [log] _ in
            subscription.dispose()
            return .never().noteLifetime(in: log, as: "other")
        }.subscribe()
        source.onError(TestError.a)
        #expect(log.text == "")
    }

    @Test func freesTheHandlerOnceItHasBeenCalled() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<Int>()
        func start() -> any Disposable {
            let tracked = tracker.make()
            return source.catch { _ in withExtendedLifetime(tracked) { .never() } }.subscribe()
        }
        let subscription = start()
        #expect(tracker.live == 1)
        source.onError(TestError.a)
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func hundredThousandElementsFitSmallStack() throws {
        let count = try runOnSmallThread {
            nonisolated(unsafe) var count = 0
            let half = Observable.range(start: 0, count: 50_000)
            _ = half.concat(Observable.error(TestError.a)).catch { _ in half }.subscribe(onNext: { _ in count += 1 })
            return count
        }
        #expect(count == 100_000)
    }
}
