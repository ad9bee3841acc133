import RxSwift
import RxTest
import TestSupport
import Testing

struct SingleOperatorsTests {
    @Test func mapTransformsAndFails() {
        #expect(seen(Single.just(1).map { $0 + 1 }) == "2 disposed")
        #expect(seen(Single.just(1).map { _ -> Int in throw TestError.b }) == "!b disposed")
    }

    @Test func filterAndCompactMapMayLeaveNothing() {
        #expect(seen(Single.just(1).filter { $0 > 1 }) == "| disposed")
        #expect(seen(Single.just(2).filter { $0 > 1 }) == "2 disposed")
        #expect(seen(Single.just(1).compactMap { _ in Int?.none }) == "| disposed")
    }

    @Test func flatMapOverloadsContinueWithInnerTrait() {
        #expect(seen(Single.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
        #expect(seen(Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }) == "| disposed")
        #expect(seen(Single.just(1).flatMapCompletable { _ in .error(TestError.a) }) == "!a disposed")
    }

    @Test func zipWaitsForEach() {
        #expect(seen(Single.zip(Single.just(1), Single.just("a")) { "\($0)\($1)" }) == "1a disposed")
        #expect(seen(Single.zip([.just(1), .just(2)])) == "[1, 2] disposed")
        #expect(seen(Single.zip([Single<Int>](), resultSelector: \.count)) == "0 disposed")
        #expect(seen(Single.zip(Single.just(1), Single<Int>.error(TestError.a)) { $0 + $1 }) == "!a disposed")
    }

    @Test func zipCombinesEightInOrder() {
        let single = { (element: Int) in Single.just(element) }
        let all = Single.zip(single(1), single(2), single(3), single(4), single(5), single(6), single(7), single(8))
        #expect(seen(all) == "(1, 2, 3, 4, 5, 6, 7, 8) disposed")
    }

    @Test func errorsAreCaught() {
        let failing = Single<Int>.error(TestError.a)
        #expect(seen(failing.catchAndReturn(9)) == "9 disposed")
        #expect(seen(failing.catch { _ in .just(8) }) == "8 disposed")
        #expect(seen(failing.catch { _ in throw TestError.b }) == "!b disposed")
    }

    @Test func retrySubscribesAgain() {
        nonisolated(unsafe) var attempts = 0
        let single = Single<Int>.deferred {
            attempts += 1
            return attempts < 3 ? .error(TestError.a) : .just(attempts)
        }
        #expect(seen(single.retry(3)) == "3 disposed")
    }

    @Test func retryGivesUpAfterAsManyAttempts() {
        nonisolated(unsafe) var attempts = 0
        let single = Single<Int>.deferred {
            attempts += 1
            return .error(TestError.a)
        }
        #expect(seen(single.retry(2)) == "!a disposed")
        #expect(attempts == 2)
    }

    @Test(arguments: [false, true]) func retryWhenWaitsForElementOfHandler(isTyped: Bool) {
        let (again, log) = (PublishSubject<Void>(), Log())
        nonisolated(unsafe) var attempts = 0
        let single = Single<Int>.deferred {
            attempts += 1
            return attempts == 1 ? .error(TestError.a) : .just(attempts)
        }
        let retried: Single<Int> =
            isTyped
            ? single.retry(when: { (errors: Observable<TestError>) in errors.flatMap { _ in again } })
            : single.retry(when: { (errors: Observable<any Error>) in errors.flatMap { _ in again } })
        let subscription = retried.subscribe(onSuccess: { log($0) })
        log("-")
        again.onNext(())
        #expect(log.text == "- 2")
        subscription.dispose()
    }

    @Test func doSeesSuccessBeforeAndAfterItsObserver() {
        let log = Log()
        _ = Single.just(1).do(
            onSuccess: { log("on\($0)") }, afterSuccess: { log("after\($0)") }, onSubscribe: { log("subscribe") },
            onDispose: { log("dispose") }
        ).subscribe(onSuccess: { log($0) })
        #expect(log.text == "subscribe on1 1 after1 dispose")
    }

    @Test func doSeesAFailureBeforeAndAfterItsObserver() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.asSingle().do(
            onError: { log("on!\($0)") }, afterError: { log("after!\($0)") }, onSubscribe: { log("subscribe") },
            onSubscribed: { log("subscribed") }, onDispose: { log("dispose") }
        ).subscribe(onFailure: { log("!\($0)") })
        source.onError(TestError.a)
        #expect(log.text == "subscribe subscribed on!a !a after!a dispose")
    }

    @Test func aResourceIsDisposedAfterTheEvent() {
        let log = Log()
        let single = Single.using({ Resource(log: log) }) { _ in Single.just(1) }
        _ = single.subscribe(onSuccess: { log($0) })
        #expect(log.text == "1 resource")
    }

    @Test func timeIsTheObservables() {
        inTime { Single.just(1).delaySubscription(.seconds(50), scheduler: $0) }.expect("{50}(1|)")
        inTime { Single<Int>.timer(.seconds(50), scheduler: $0) }.expect("{50}(0|)")
        inTime { Single<Int>.never().timeout(.seconds(50), other: .just(7), scheduler: $0) }.expect("{50}(7|)")
        inTime { Single.just(1).observe(on: $0) }.expect("-1|")
    }

    @Test func delayPutsTheEventOffAndNotTheSubscription() {
        let time = TestScheduler(initialClock: 0)
        let source = time.hot("--1|")
        let observer = time.start { source.asSingle().delay(.seconds(5), scheduler: time) }
        #expect(observer.events.first == .next(208, 1))
    }

    @Test func subscribeOnPutsTheSubscriptionOffAndNotTheEvent() {
        let (time, log) = (TestScheduler(initialClock: 0), Log())
        let single = Single<Int>.create { observer in
            log("subscribed")
            observer(.success(1))
            return Disposables.create()
        }
        let subscription = single.subscribe(on: time).subscribe(onSuccess: { log($0) })
        log("-")
        time.start()
        #expect(log.text == "- subscribed 1")
        subscription.dispose()
    }

    private func inTime(_ make: @escaping (TestScheduler) -> Single<Int>) -> TestableObserver<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start { make(scheduler) }
    }

    @Test func conversionsKeepTheEvent() {
        #expect(seen(Single.just(1).asMaybe()) == "1 disposed")
        #expect(seen(Single.just(1).asCompletable()) == "| disposed")
        #expect(seen(Single<Int>.error(TestError.a).asCompletable()) == "!a disposed")
    }
}

private struct Resource: Disposable {
    let log: Log

    func dispose() {
        log("resource")
    }
}
