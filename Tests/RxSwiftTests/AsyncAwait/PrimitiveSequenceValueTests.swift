import Foundation
import TestSupport
import Testing

@testable import RxSwift

struct PrimitiveSequenceValueTests {
    @Test func theEventIsReturnedOrThrown() async throws {
        #expect(try await Single.just(1).value == 1)
        #expect(try await Maybe.just(2).value == 2)
        #expect(try await Maybe<Int>.empty().value == nil)
        try await Completable.empty().value
        await #expect(throws: TestError.a) { try await Single<Int>.error(TestError.a).value }
        await #expect(throws: TestError.b) { try await Maybe<Int>.error(TestError.b).value }
        await #expect(throws: TestError.c) { try await Completable.error(TestError.c).value }
    }

    @Test func cancellationDisposesAndThrows() async {
        let log = Log()
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await Single<Int>.create { _ in
                start.yield()
                return Disposables.create { log("torn") }
            }.value
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "torn")
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Single<Int>.never().value
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func immediateEventIsReturnedInCancelledTask() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Single.just(1).value
        }
        #expect(try await task.value == 1)
    }

    @Test func cancellationStopsSourceDuringSubscription() async {
        let sent = Guarded(0)
        let source = Observable.range(start: 0, count: 100_000)
            .do(onNext: { number in
                sent.withLock { $0 += 1 }
                if number == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            })
            .filter { _ in false }
        await #expect(throws: CancellationError.self) {
            try await Task { try await source.ignoreElements().asCompletable().value }.value
        }
        await #expect(throws: CancellationError.self) {
            _ = try await Task { try await source.asMaybe().value }.value
        }
        await #expect(throws: CancellationError.self) {
            _ = try await Task { try await source.asSingle().value }.value
        }
        #expect(sent.withLock { $0 } == 33)
    }

    @Test func cancellationHasDisposedWhenItReturns() async {
        let log = Log()
        let task = Task {
            try await Single<Int>.create { _ in
                log("subscribed")
                return Disposables.create { log("torn") }
            }.value
        }
        await until { log.text == "subscribed" }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "subscribed torn")
    }

    /// Swift holds the task's lock while the cancellation handler runs, so the handler must not free the user's
    /// objects.
    @Test func cancellationHandlerFreesNothing() throws {
        let (subscribing, halting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (ended, log, tracker) = (DispatchSemaphore(value: 0), Log(), LifetimeTracker())
        let canceller = pthread_self()
        let source = Observable<Int> { _, assembly in
            let held = tracker.make { log(pthread_self() == canceller ? "by the handler" : "by the task") }
            assembly.feed(
                from: HaltedSource(holding: held) {
                    halting.signal()
                    // Gives the task time to release all its references.
                    usleep(200_000)
                })
            subscribing.signal()
            halting.wait()
            return nil
        }
        let task = Task(executorPreference: QueueExecutor()) {
            await #expect(throws: CancellationError.self) { try await source.asSingle().value }
            ended.signal()
        }
        try wait(for: subscribing)
        task.cancel()
        try wait(for: ended)
        #expect(log.text == "by the task")
    }

    @Test func elementIsFreedAfterValueReturns() async throws {
        let tracker = LifetimeTracker()
        _ = try await Single.just(tracker.make(1)).value
        #expect(tracker.live == 0)
    }
}
