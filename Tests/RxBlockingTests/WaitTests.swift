import Dispatch
import TestSupport
import Testing

@testable import RxBlocking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct WaitTests {
    @Test func elementsOfOtherThreadAreReturned() throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        #expect(try Observable.of(1, 2).observe(on: scheduler).toBlocking(timeout: 30).toArray() == [1, 2])
    }

    @Test func timeoutEndsWaitAndKeepsElements() {
        let result = Observable.just(1).concat(Observable.never()).toBlocking(timeout: 0.01).materialize()
        guard case .failed([1], RxError.timeout) = result else {
            Issue.record("it should have timed out, not \(result)")
            return
        }
    }

    @Test func aWaitLastsAsLongAsItsTimeout() throws {
        let begin = DispatchTime.now()
        #expect(throws: RxError.self) {
            try runOnThread { try Observable<Int>.never().toBlocking(timeout: 0.05).toArray() }
        }
        #expect(DispatchTime.now() >= begin + .milliseconds(50))
    }

    @Test func waitReturnsAfterOpeningHasFinished() throws {
        let latch = try runOnThread { Latch() }
        let (isOpening, isWaiting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        startThread {
            latch.open {
                isOpening.signal()
                _ = isWaiting.wait(timeout: .now() + 30)
                // A wait that did not await the opening thread would return now.
                usleep(50_000)
            }
        }
        let error = try runOnThread { () -> (any Error)? in
            isOpening.wait()
            isWaiting.signal()
            return latch.wait(until: .now, past: nil)
        }
        #expect(error == nil)
    }

    @Test(arguments: [0, -1, .nan, 1e-300]) func timeoutOfZeroExpiresAtOnce(_ timeout: Double) throws {
        #expect(throws: RxError.self) {
            try runOnThread { try Observable<Int>.never().toBlocking(timeout: timeout).toArray() }
        }
    }

    @Test(arguments: [0, -1, .nan, 1e-300]) func lateEndIsTimeout(_ timeout: Double) {
        let result = Observable.just(1).toBlocking(timeout: timeout).materialize()
        guard case .failed([1], RxError.timeout) = result else {
            Issue.record("it should have timed out, not \(result)")
            return
        }
        #expect(throws: RxError.self) { try Observable.just(1).toBlocking(timeout: timeout).first() }
        #expect(throws: RxError.self) { try Observable<Int>.error(TestError.a).toBlocking(timeout: timeout).first() }
    }

    // The last timeout fits the clock, but its sum with the current time does not.
    @Test(arguments: [1e300, .infinity, 9_223_372_036]) func timeoutBeyondClockIsUnlimited(_ timeout: Double) throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        #expect(try Observable.just(1).observe(on: scheduler).toBlocking(timeout: timeout).toArray() == [1])
    }

    @Test(arguments: [true, false]) func disposesOfTheSourceBeforeItReturns(timesOut: Bool) {
        let subject = PublishSubject<Int>()
        let source = timesOut ? subject.asObservable() : subject.startWith(1)
        _ = try? source.toBlocking(timeout: 0.01).first()
        #expect(!subject.hasObservers)
    }

    @Test func awaitsTheTeardownOnTheThreadThatSends() throws {
        let (thread, log) = (PthreadScheduler(name: "rx-sends"), Log())
        let source = Observable<Int>.create { observer in
            nonisolated(unsafe) let sending = thread.schedule(()) { _ in
                observer.onNext(1)
                return Disposables.create()
            }
            return Disposables.create {
                // A wait that did not await the teardown would return now.
                usleep(500_000)
                log("torn down")
                sending.dispose()
            }
        }
        #expect(try source.toBlocking().first() == 1)
        #expect(log.text == "torn down")
        thread.shutdown()
    }

    @Test func holdsNoElementAfterwards() throws {
        let elements = LifetimeTracker()
        let subject = PublishSubject<LifetimeTracker.Tracked>()
        _ = subject.startWith(elements.make(), elements.make()).toBlocking(timeout: 0.01).materialize()
        #expect(elements.live == 0)
    }

    @Test func releasesAReplacedElementUnderNoLock() throws {
        let elements = LifetimeTracker()
        let source = Observable<LifetimeTracker.Tracked>.create { observer in
            // Element 1 replaces element 0. The `deinit` of element 0 sends element 2.
            observer.onNext(elements.make(0) { observer.onNext(elements.make(2)) })
            observer.onNext(elements.make(1))
            observer.onCompleted()
            return Disposables.create()
        }
        let last = try runOnThread { try source.toBlocking().last()?.value }
        #expect(last == 2)
    }

    @Test func aBlockOfTheMainQueueMayWaitForAnotherThread() async throws {
        let elements = try await MainActor.run {
            try Observable.of(1, 2).observe(on: SerialDispatchQueueScheduler(qos: .default)).toBlocking(timeout: 30)
                .toArray()
        }
        #expect(elements == [1, 2])
    }

    @Test func aWaitOnTheMainQueueTimesOut() async {
        await MainActor.run {
            _ = #expect(throws: RxError.self) { try Observable<Int>.never().toBlocking(timeout: 0.05).toArray() }
        }
    }

    @Test func endConcurrentWithTimeoutIsNotLost() throws {
        let queue = DispatchQueue(label: "end")
        for round in 0..<500 {
            let subject = ReplaySubject<Int>.create(bufferSize: 2)
            queue.asyncAfter(deadline: .now() + .microseconds(round % 200)) {
                subject.onNext(round)
                subject.onCompleted()
            }
            switch subject.toBlocking(timeout: 0.0001).materialize() {
            case .completed(let elements): #expect(elements == [round])
            case .failed(let elements, let error):
                #expect(elements.count <= 1)
                guard case RxError.timeout = error else { throw error }
            }
        }
    }

    @Test func collectorElementAfterEndIsIgnored() {
        let collector = Collector<Int>(.first(1))
        collector.end(TestError.a)
        #expect(!collector.add(1))
        collector.end(nil)
        let outcome = collector.wait(until: nil, past: nil)
        #expect(outcome.elements.isEmpty)
        #expect(outcome.error as? TestError == .a)
    }
}
