import Dispatch
@_spi(RxServer) import RxSwift
import RxTest
import TestSupport
import Testing

struct BoundedTests {
    @Test(arguments: FlowRow.all, [1, 2, 16]) func boundedChainRecordsSameEventsAsUnbounded(row: FlowRow, bound: Int) {
        row.expectTheSame(bound: bound)
    }

    @Test(arguments: FlowRow.all, [1, 16]) func boundaryHoldsAtMostBound(row: FlowRow, bound: Int) {
        row.expectNoMoreWait(bound: bound)
    }

    @Test(arguments: FlowRow.all) func chainDisposedAtAnyPointLeavesNoObjects(row: FlowRow) {
        row.expectNothingIsLeft()
    }

    @Test func pendingResumeTriggersNoTimeout() {
        expectNoTimeoutBehindATurn { $0.timeout(.seconds(4), scheduler: $1) }
    }
}

// MARK: whereBounded

extension BoundedTests {
    private var numbers: Observable<String> {
        Observable.of(1, 2, 3).map { "\($0)" }.whereBounded { $0.map { "\($0)!" } }
    }

    @Test func unboundedSubscriberGetsOriginalSource() {
        let log = Log()
        numbers.note(in: log).dispose()
        #expect(log.text == "1 2 3 completed")
    }

    /// `.newest` never pauses its source, so the source need not be bounded.
    @Test(arguments: [(Buffering.pausing(2), "1! 2! 3! completed"), (.newest(2), "2 3 completed")])
    func pausingSubscriberGetsBoundedVariant(buffering: Buffering, expected: String) {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let subscription = numbers.observe(on: scheduler, buffering: buffering).note(in: log)
        scheduler.start()
        #expect(log.text == expected)
        subscription.dispose()
    }

    @Test func innerSequenceIsBoundedLikeItsOuterSequence() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let outer = Observable.just(0).flatMap { _ in numbers }
        outer.note(in: log).dispose()
        let subscription = outer.observe(on: scheduler, buffering: .pausing(8)).note(in: log)
        scheduler.start()
        #expect(log.text == "1 2 3 completed 1! 2! 3! completed")
        subscription.dispose()
    }
}

struct PausingTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let count: Int
        let make: @Sendable () -> Observable<Int>

        init(_ name: String, _ count: Int, _ make: @escaping @Sendable () -> Observable<Int>) {
            testDescription = name
            self.count = count
            self.make = make
        }

        private static let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "flow")
        private static let other = SerialDispatchQueueScheduler(internalSerialQueueName: "flow2")
        private static let thread = PthreadScheduler(name: "flow")
        private static func numbers(_ count: Int = 3_000) -> Observable<Int> { .range(start: 0, count: count) }
        private static func sent(_ count: Int = 3_000) -> Observable<Int> {
            .create { (out: AnyObserver<Int>) async throws in for each in 0..<count { try await out.send(each) } }
        }

        private static func taken(from source: Observable<Int>, _ buffering: Buffering) -> Observable<Int> {
            .create { (out: AnyObserver<Int>) async throws in
                for try await each in source.values(buffering: buffering) { try await out.send(each) }
            }
        }

        static let all: [Shape] = [
            Shape("a thread", 3_000) { numbers().observe(on: thread).bounded(8) },
            Shape("stop and wait", 3_000) { numbers().observe(on: queue).bounded(1) },
            Shape("three boundaries", 3_000) {
                numbers().observe(on: thread).observe(on: queue).map { $0 }.observe(on: other).bounded(3)
            },
            Shape("subscribe(on:)", 3_000) { numbers().subscribe(on: queue).observe(on: thread).bounded(8) },
            Shape("merge", 9_000) {
                Observable.merge(numbers(), numbers().observe(on: queue), numbers().subscribe(on: other))
                    .observe(on: thread).bounded(4)
            },
            Shape("flatMap", 3_000) {
                numbers(30).flatMap { _ in numbers(100).observe(on: queue) }.observe(on: thread).bounded(8)
            },
            Shape("concatMap", 3_000) {
                numbers(30).concatMap { _ in numbers(100).observe(on: queue) }.observe(on: thread).bounded(8)
            },
            Shape("concat of justs", 500) { .concat((0..<500).map { .just($0) }).observe(on: thread).bounded(2) },
            Shape("concat of mapped justs", 500) {
                .concat((0..<500).map { Observable.just($0).map { $0 } }).observe(on: thread).bounded(2)
            },
            Shape("merge(maxConcurrent:)", 3_000) {
                numbers(30).map { _ in numbers(100).observe(on: other) }.merge(maxConcurrent: 3).observe(on: thread)
                    .bounded(8)
            },
            Shape("zip", 3_000) {
                Observable.zip(numbers().observe(on: queue), numbers().observe(on: other)) { $0 + $1 }
                    .observe(on: thread).bounded(8)
            },
            Shape("zip with its own bound", 3_000) {
                Observable.zip(numbers(), numbers().subscribe(on: other), buffering: .pausing(4)) { $0 + $1 }
            },
            Shape("send", 3_000) { sent().observe(on: thread).bounded(8) },
            Shape("send, merged", 6_000) { Observable.merge(sent(), sent()).observe(on: thread).bounded(8) },
            Shape("nested merges", 4_000) {
                Observable.merge(
                    Observable.merge(numbers(1_000), numbers(1_000).observe(on: queue)),
                    Observable.merge(numbers(1_000), numbers(1_000).observe(on: other))
                ).observe(on: thread).bounded(5)
            },
            Shape("delay", 1_000) {
                numbers(1_000).delay(.milliseconds(1), scheduler: queue).observe(on: thread).bounded(50)
            },
            Shape("retry", 3_000) {
                numbers(1_000).concat(Observable.error(TestError.a)).retry(3).catch { _ in .empty() }
                    .observe(on: thread).bounded(8)
            },
            Shape("a hop above a loop", 3_000) { taken(from: numbers().observe(on: thread), .pausing(8)) },
            Shape("a hop above one that pauses", 3_000) {
                numbers().observe(on: queue).observe(on: thread, buffering: .pausing(8))
            },
            Shape("a delay above a hop that pauses", 1_000) {
                numbers(1_000).delay(.milliseconds(1), scheduler: queue).observe(on: thread, buffering: .pausing(8))
            },
            Shape("a hop that keeps all", 3_000) {
                numbers().observe(on: queue, buffering: .unbounded).observe(on: thread).bounded(8)
            },
            Shape("a hop above a zip that pauses", 3_000) {
                Observable.zip(numbers().observe(on: queue), numbers().observe(on: other), buffering: .pausing(4)) {
                    $0 + $1
                }
            },
            Shape("takeLast", 3_000) { numbers().takeLast(3_000).observe(on: thread).bounded(8) },
            Shape("debug", 20) { numbers(20).debug("flow").observe(on: thread).bounded(4) },
        ]
    }

    // The tests await instead of blocking, because some sources send from a task, and tasks need the threads of Swift's
    // pool.

    @Test(.notForever, arguments: Shape.all) func boundedChainDeliversAllAndCompletes(shape: Shape) async throws {
        let count = try await shape.make().reduce(0) { count, _ in count + 1 }.asSingle().value
        #expect(count == shape.count)
    }

    @Test(.notForever, arguments: Shape.all) func aDisposalMayComeAtAnyMoment(shape: Shape) async throws {
        for _ in 0..<20 {
            shape.make().subscribe().dispose()
            for try await _ in shape.make().values { break }
        }
    }

}

struct ManyPausesTests {
    @Test func aParkedSourceIsFreedWithItsSubscription() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let kept = tracker.make()
        let subscription = Observable<Int>.generate(
            initialState: 0, condition: { [held = tracker.make()] _ in held.value == 0 }, iterate: { $0 + 1 }
        )
        .observe(on: scheduler, buffering: .pausing(4)).subscribe()
        subscription.dispose()
        scheduler.advanceTo(2)
        #expect(tracker.live == 1)
        withExtendedLifetime(kept) {}
    }

    @Test func aHundredThousandPausesFitASmallStack() throws {
        let count = 100_000
        let sum = try runOnThread(stackSize: 512 << 10) {
            nonisolated(unsafe) var seen = 0
            let (scheduler, done) = (PthreadScheduler(name: "below", stackSize: 512 << 10), DispatchSemaphore(value: 0))
            let subscription = Observable.range(start: 0, count: count)
                .observe(on: scheduler, buffering: .pausing(1))
                .subscribe(onNext: { _ in seen += 1 }, onCompleted: { done.signal() })
            done.wait()
            subscription.dispose()
            return seen
        }
        #expect(sum == count)
    }

    @Test func tenThousandSourcesTakeTurns() {
        let (scheduler, done) = (PthreadScheduler(name: "below"), DispatchSemaphore(value: 0))
        let seen = Guarded([Int](repeating: 0, count: 10_000))
        let subscription = Observable.range(start: 0, count: 10_000)
            .flatMap { source in Observable.repeatElement(source).take(20) }
            .observe(on: scheduler)
            .bounded(16)
            .subscribe(
                onNext: { source in
                    seen.withLock { $0[source] += 1 }
                },
                onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 120) == .success)
        #expect(seen.withLock { $0.allSatisfy { $0 == 20 } })
        subscription.dispose()
    }
}
