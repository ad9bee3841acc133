import Dispatch
import RxBlocking
import TestSupport
import Testing

#if Foundation
    import Foundation
#endif

/// A wait that can never end fails at once. A wait that can end does not fail.
@Suite struct DeadlockErrorTests {
    enum Held: CaseIterable {
        case serialQueue, pthread

        var scheduler: any SchedulerType {
            switch self {
            case .serialQueue: SerialDispatchQueueScheduler(qos: .default)
            case .pthread: PthreadScheduler()
            }
        }
    }

    private let other = SerialDispatchQueueScheduler(qos: .default)

    private func on<Result>(
        _ scheduler: any ImmediateSchedulerType, _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let done = DispatchSemaphore(value: 0)
        let result = Guarded<Swift.Result<Result, any Error>?>(nil)
        _ = scheduler.schedule(()) { _ in
            let made = Swift.Result { try body() }
            result.withLock { $0 = made }
            done.signal()
            return Disposables.create()
        }
        try #require(done.wait(timeout: .now() + 30) == .success, "it waits for ever")
        return try #require(result.withLock { $0 }).get()
    }

    @Test(arguments: Held.allCases) func observeOnSchedulerBlockedByWaitThrowsDeadlockError(held: Held) {
        nonisolated(unsafe) let scheduler = held.scheduler
        #expect(throws: DeadlockError.self) {
            try on(scheduler) {
                try Observable.of(1, 2).observe(on: scheduler).map { $0 }.filter { _ in true }.toBlocking().toArray()
            }
        }
    }

    @Test(arguments: Held.allCases) func observingOnItFartherUp(held: Held) {
        nonisolated(unsafe) let scheduler = held.scheduler
        #expect(throws: DeadlockError.self) {
            try on(scheduler) {
                try Observable.of(1, 2).observe(on: scheduler).map { $0 }.observe(on: other).toBlocking().first()
            }
        }
    }

    @Test(arguments: Held.allCases) func subscribeOnSchedulerBlockedByWaitThrowsDeadlockError(held: Held) {
        nonisolated(unsafe) let scheduler = held.scheduler
        #expect(throws: DeadlockError.self) {
            try on(scheduler) { try Observable.just(1).subscribe(on: scheduler).toBlocking().last() }
        }
    }

    @Test func materializedResultContainsErrorWithAdvice() throws {
        let result = try on(other) { Observable.just(1).observe(on: other).toBlocking(timeout: 30).materialize() }
        guard case .failed([], let error as DeadlockError) = result else {
            Issue.record("it should have failed, not \(result)")
            return
        }
        #expect(error.description.contains("the queue of its SerialDispatchQueueScheduler"))
        #expect(error.description.contains("Wait on another thread"))
    }

    @Test func theSourceIsDisposedOfBeforeTheErrorIsThrown() throws {
        let subject = PublishSubject<Int>()
        #expect(throws: DeadlockError.self) { try on(other) { try subject.observe(on: other).toBlocking().first() } }
        #expect(!subject.hasObservers)
    }

    @Test(arguments: Held.allCases) func waitingForAnotherSchedulerIsFine(held: Held) throws {
        #expect(
            try on(held.scheduler) { try Observable.of(1, 2).observe(on: other).toBlocking(timeout: 30).toArray() } == [
                1, 2,
            ])
    }

    @Test(arguments: Held.allCases) func waitOnOtherThreadSucceeds(held: Held) throws {
        let scheduler = held.scheduler
        try on(scheduler) {}
        #expect(try Observable.of(1, 2).observe(on: scheduler).toBlocking(timeout: 30).toArray() == [1, 2])
    }

    @Test func observingOnItAfterAWaitWithinTheSubscription() {
        #expect(throws: DeadlockError.self) {
            try on(other) {
                try Observable.deferred {
                    let first = try Observable.just(1).toBlocking(timeout: 30).single()
                    return Observable.just(first).observe(on: other)
                }.toBlocking(timeout: 30).first()
            }
        }
    }

    @Test func elementSentBeforeWaitIsReturned() throws {
        #expect(try on(other) { try Observable.just(1).observe(on: other).startWith(0).toBlocking().first() } == 0)
    }

    @Test func elementFromAnotherSchedulerIsAwaited() throws {
        let elsewhere = Observable<Int>.timer(
            .milliseconds(50), scheduler: SerialDispatchQueueScheduler(qos: .default)
        ).map { _ in 2 }
        let first = try on(other) {
            try Observable.merge(Observable.just(1).observe(on: other), elsewhere).toBlocking(timeout: 30).first()
        }
        #expect(first == 2)
    }

    @Test func aBlockOfTheMainQueueThatWaitsForTheMainQueue() async {
        await MainActor.run {
            _ = #expect(throws: DeadlockError.self) {
                try Observable.just(1).observe(on: MainScheduler.asyncInstance).toBlocking().toArray()
            }
            _ = #expect(throws: DeadlockError.self) {
                try Observable.just(1).observe(on: other).observe(on: MainScheduler.instance).toBlocking().toArray()
            }
        }
    }

    @Test func aBlockOfTheMainQueueThatWaitsForTheConcurrentMainScheduler() async {
        await MainActor.run {
            _ = #expect(throws: DeadlockError.self) {
                try Observable.just(1).observe(on: other).observe(on: ConcurrentMainScheduler.instance)
                    .toBlocking(timeout: 30).toArray()
            }
        }
    }

    private struct Foreign: ImmediateSchedulerType {
        let base: any ImmediateSchedulerType

        func schedule<StateType>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            base.schedule(state, action: action)
        }
    }

    @Test func waitOnMainQueueForCustomSchedulerSucceeds() async throws {
        // Within 800 ms, a wait for the main queue itself would have failed.
        let source = Observable<Int>.timer(.milliseconds(800), scheduler: other).observe(on: Foreign(base: other))
        let elements = try await MainActor.run { try source.toBlocking(timeout: 30).toArray() }
        #expect(elements == [0])
    }

    @Test func waitForMainQueueOnOtherThreadSucceeds() throws {
        var schedulers: [any ImmediateSchedulerType] = [
            MainScheduler.instance, MainScheduler.asyncInstance, ConcurrentMainScheduler.instance,
        ]
        #if Foundation
            schedulers.append(OperationQueueScheduler(operationQueue: .main))
        #endif
        for scheduler in schedulers {
            let source = Observable<Int>.timer(.milliseconds(50), scheduler: other).observe(on: scheduler)
            #expect(try runOnThread { try source.toBlocking(timeout: 30).toArray() } == [0])
        }
    }

    @Test func waitOnMainQueueForImmediateMainSchedulerSucceeds() async throws {
        // In `MainScheduler.instance`, actions of other tests may be waiting.
        let elements = try await MainActor.run {
            try Observable.of(1, 2).observe(on: MainScheduler()).toBlocking().toArray()
        }
        #expect(elements == [1, 2])
    }

    @Test func waitForColdSourceInsideEventSucceeds() throws {
        let counts = try runOnThread {
            try Observable.of(1, 2).map { x in try Observable.of(x, x).toBlocking().toArray().count }.toBlocking()
                .toArray()
        }
        #expect(counts == [2, 2])
    }

    @Test func waitInsideEventLeavesScheduledActionsForLater() throws {
        let log = Log()
        try runOnThread {
            _ = Observable.of(1, 2).subscribe(onNext: { outer in
                _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                    log("later\(outer)")
                    return Disposables.create()
                }
                log("outer\(outer)")
                log("\((try? Observable.of(3, 4).toBlocking().toArray()) ?? [])")
            })
        }
        #expect(log.text == "outer1 [3, 4] later1 outer2 [3, 4] later2")
    }

    #if Foundation
        @Test func waitOnSerialOperationQueueThrowsDeadlockError() {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let scheduler = OperationQueueScheduler(operationQueue: queue)
            #expect(throws: DeadlockError.self) {
                try on(scheduler) { try Observable.just(1).observe(on: scheduler).toBlocking().toArray() }
            }
        }

        @Test func waitForSerialOperationQueueOnOtherThreadSucceeds() throws {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let scheduler = OperationQueueScheduler(operationQueue: queue)
            let source = Observable<Int>.timer(.milliseconds(50), scheduler: other).observe(on: scheduler)
            #expect(try source.toBlocking(timeout: 30).toArray() == [0])
        }

        @Test func anOperationQueueThatRunsSeveralIsFine() throws {
            let scheduler = OperationQueueScheduler(operationQueue: OperationQueue())
            let source = Observable<Int>.timer(.milliseconds(50), scheduler: other).observe(on: scheduler)
            #expect(try on(scheduler) { try source.toBlocking(timeout: 30).toArray() } == [0])
        }
    #endif
}
