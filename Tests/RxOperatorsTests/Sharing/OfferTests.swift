import Dispatch
import RxOperators
import RxRelay
import RxTest
import TestSupport
import Testing

struct OfferTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func observeBounded(_ source: Observable<Int>) -> any Disposable {
        source.observe(on: scheduler).bounded(2).subscribe(
            onNext: { [log] in log($0) }, onError: { [log] in log("\($0)") }, onCompleted: { [log] in log("|") })
    }

    /// Offers three elements to an observer with room for two, and a fourth when the observer has handled two.
    private func expectPause(of source: Observable<Int>, _ offer: (Int) -> OfferResult) {
        let subscription = observeBounded(source)
        scheduler.start()
        _ = log.take()
        #expect([1, 2, 3].map(offer) == [.delivered, .delivered, .paused])
        scheduler.start()
        #expect(offer(4) == .delivered)
        scheduler.start()
        #expect(log.text == "1 2 4")
        subscription.dispose()
    }

    @Test func publishSubjectOfferObserverPausedIsRejected() {
        let subject = PublishSubject<Int>()
        expectPause(of: subject.asObservable(), subject.offer)
    }

    @Test func behaviorSubjectOfferObserverPausedKeepsItsValue() throws {
        let subject = BehaviorSubject(value: 0)
        expectPause(of: subject.asObservable()) { element in
            let result = subject.offer(element)
            #expect((try? subject.value()) == (result == .paused ? element - 1 : element))
            return result
        }
    }

    @Test func replaySubjectOfferObserverPausedIsRejected() {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        expectPause(of: subject.asObservable(), subject.offer)
    }

    @Test func timedReplaySubjectOfferObserverPausedIsRejected() {
        let subject = TimedReplaySubject<Int>(for: .seconds(60), scheduler: scheduler)
        expectPause(of: subject.asObservable(), subject.offer)
    }

    @Test func relaysOfferObserverPausedIsRejected() {
        let publish = PublishRelay<Int>()
        expectPause(of: publish.asObservable(), publish.offer)
        let behavior = BehaviorRelay(value: 0)
        expectPause(of: behavior.asObservable(), behavior.offer)
        #expect(behavior.value == 4)
        let replay = ReplayRelay<Int>.create(bufferSize: 1)
        expectPause(of: replay.asObservable(), replay.offer)
    }

    /// Another thread is blocked in the observer. The subject rejects offers when about a thousand elements wait.
    @Test func publishSubjectOfferManyElementsWaitIsRejected() {
        let subject = PublishSubject<Int>(), received = Guarded(0)
        let (begun, mayEnd, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = subject.subscribe(onNext: { element in
            received.withLock { $0 += 1 }
            if element == 0 {
                begun.signal()
                mayEnd.wait()
            }
        })
        DispatchQueue.global().async {
            subject.onNext(0)
            ended.signal()
        }
        begun.wait()
        let results = (1...1_100).map(subject.offer)
        mayEnd.signal()
        ended.wait()
        #expect(results.last == .paused)
        #expect(received.withLock { $0 } == 1 + results.count { $0 == .delivered })
        subscription.dispose()
    }

    @Test func publishSubjectOfferOneOfTwoObserversPausedReachesNone() {
        let subject = PublishSubject<Int>()
        let subscriptions = [
            subject.subscribe(onNext: { [log] in log("a\($0)") }), observeBounded(subject.asObservable()),
        ]
        #expect([1, 2, 3].map(subject.offer) == [.delivered, .delivered, .paused])
        #expect(log.text == "a1 a2")
        subscriptions.forEach { $0.dispose() }
        #expect(subject.offer(4) == .noObservers)
    }

    @Test func offerWithoutObserversIsDroppedOrStored() throws {
        let publish = PublishSubject<Int>(), behavior = BehaviorSubject(value: 0)
        let replay = ReplaySubject<Int>.create(bufferSize: 1)
        let relay = PublishRelay<Int>()
        #expect(publish.offer(1) == .noObservers)
        #expect(relay.offer(1) == .noObservers)
        #expect(behavior.offer(1) == .delivered)
        #expect(replay.offer(2) == .delivered)
        #expect(try behavior.value() == 1)
        let subscription = replay.subscribe(onNext: { [log] in log($0) })
        #expect(log.text == "2")
        subscription.dispose()
    }

    @Test func offerAfterTheEndIsDropped() {
        let publish = PublishSubject<Int>(), behavior = BehaviorSubject(value: 0)
        let replay = ReplaySubject<Int>.create(bufferSize: 1)
        let subscription = publish.subscribe(onNext: { [log] in log($0) })
        publish.onCompleted()
        behavior.onError(TestError.a)
        replay.dispose()
        #expect([publish.offer(1), behavior.offer(1), replay.offer(1)] == [.ended, .ended, .ended])
        #expect(log.text == "")
        subscription.dispose()
    }

    /// Two threads may both see room for one element.
    @Test func offerByTwoThreadsLosesNothing() throws {
        let subject = PublishSubject<Int>()
        let pool = PthreadPoolScheduler(name: "offers", maxThreads: 1)
        let received = Guarded(0)
        let done = DispatchSemaphore(value: 0)
        let subscription = subject.observe(on: pool).bounded(4).subscribe(
            onNext: { _ in received.withLock { $0 += 1 } }, onError: { [log] in log($0) },
            onCompleted: { done.signal() })
        let accepted = Guarded(0)
        try runConcurrently(threads: 2, timeout: 60) { _ in
            for element in 0..<2_000 where subject.offer(element) == .delivered { accepted.withLock { $0 += 1 } }
        }
        subject.onCompleted()
        done.wait()
        #expect(log.text == "")
        #expect(received.withLock { $0 } == accepted.withLock { $0 })
        subscription.dispose()
        pool.shutdown()
    }
}
