import Dispatch
import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

struct BoundedTests {
    private static func numbers(_ count: Int = 20) -> Observable<Int> { .range(start: 0, count: count) }
    private static func ticks(_ scheduler: TestScheduler) -> Observable<Int> {
        Observable<Int>.interval(.seconds(5), scheduler: scheduler).take(6)
    }

    static let rows: [FlowRow] = [
        FlowRow("admitted(by:)") { _ in numbers().admitted(by: Bulkhead(1)) },
        FlowRow("admitted(by:), on each call") { _ in
            let bulkhead = Bulkhead(1, waiting: .max)
            return numbers(8).concatMap { numbers($0).admitted(by: bulkhead) }
        },
        FlowRow("limited(by:)") { numbers().limited(by: RateLimiter(1, per: .seconds(1), scheduler: $0)) },
        FlowRow("paced(by:)", .events) { numbers().paced(by: RateLimiter(1, per: .seconds(3), scheduler: $0)) },
        FlowRow("guarded(by:)") { numbers().guarded(by: CircuitBreaker("calls", scheduler: $0)) },
        FlowRow("timeout") {
            numbers().timeout(first: .seconds(30), between: .seconds(30), total: .seconds(900), scheduler: $0)
        },
        FlowRow("timeout of ticks") { ticks($0).timeout(between: .seconds(50), scheduler: $0) },
        FlowRow("deadline") { numbers().deadline(in: .seconds(900), scheduler: $0) },
        FlowRow("batched") { numbers().batched(count: 3, scheduler: $0).map(\.count) },
        FlowRow("batched by time") { ticks($0).batched(within: .seconds(12), scheduler: $0).map(\.count) },
        FlowRow("hedged") { numbers().hedged(after: .seconds(900), scheduler: $0) },
        FlowRow("retry", .events) { scheduler in
            numbers(4).concat(Observable.error(TestError.a))
                .retry(.every(.seconds(2), attempts: 3), scheduler: scheduler)
        },
        FlowRow("until(_:)") { _ in numbers().until(Drain()) },
        FlowRow("counted(by:)") { _ in numbers().counted(by: Drain()) },
    ]

    @Test(arguments: rows, [1, 2, 16]) func boundedChainRecordsSameEventsAsUnbounded(row: FlowRow, bound: Int) {
        row.expectTheSame(bound: bound)
    }

    @Test(arguments: rows, [1, 16]) func boundaryHoldsAtMostBound(row: FlowRow, bound: Int) {
        row.expectNoMoreWait(bound: bound)
    }

    @Test(arguments: rows) func chainDisposedAtAnyPointLeavesNoObjects(row: FlowRow) {
        row.expectNothingIsLeft()
    }

    private func signals(
        _ marbles: String = "-1-2-3-4-5-|", paused: String = "--p-----r---",
        _ operate: @escaping (Observable<Int>, TestScheduler) -> Observable<Int>
    ) -> (observer: TestableObserver<Int>, source: PausableObservable<Int>) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createPausableObservable(marbles, of: Int.self)
        let observer = scheduler.start {
            operate(source.asObservable(), scheduler).paused(by: paused, on: scheduler)
        }
        return (observer, source)
    }

    @Test func admittedSourceIsPausedWithResult() {
        let (observer, source) = signals { source, _ in source.admitted(by: Bulkhead(1)) }
        source.expectSignals("--p-----r---")
        observer.expect("-1------(234)5-|")
    }

    @Test func callAdmittedDuringPauseStartsPaused() {
        let bulkhead = Bulkhead(1, waiting: 1)
        let (observer, source) = signals(paused: "p-----r") { source, scheduler in
            let first = Observable<Int>.timer(.seconds(3), scheduler: scheduler).ignoreElements().asObservable()
            return Observable.merge(
                first.admitted(by: bulkhead).map { (never: Never) -> Int in }, source.admitted(by: bulkhead))
        }
        source.expectSignals("---p--r")
        observer.expect("------(12)-3-4-5-|")
    }

    @Test func pauseTriggersNoTimeout() {
        let (observer, source) = signals("-1-2----3|", paused: "--p---------------r----") { source, scheduler in
            source.timeout(between: .seconds(4), scheduler: scheduler)
        }
        source.expectSignals("--p---------------r----")
        observer.expect("-1----------------(23|)")
    }

    @Test func resumeRestartsTimeoutBetweenElements() {
        let (observer, _) = signals("-1", paused: "--p-------r----") { source, scheduler in
            source.timeout(between: .seconds(4), scheduler: scheduler)
        }
        observer.expect(
            "-1------------#", error: TimeoutError(exceeded: .between, limit: .seconds(4)))
    }

    @Test func pendingResumeTriggersNoTimeout() {
        expectNoTimeoutBehindATurn { $0.timeout(between: .seconds(4), scheduler: $1) }
    }

    @Test func releasedSourceBeforePauseStillTimesOut() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start {
            Observable<Int>.create { observer in
                observer.onNext(1)
                return Disposables.create()
            }
            .timeout(between: .seconds(4), scheduler: scheduler).paused(by: "-p--------r", on: scheduler)
        }
        observer.expect("1-------------#", error: TimeoutError(exceeded: .between, limit: .seconds(4)))
    }

    @Test func totalTimeoutRunsDuringPause() {
        let (observer, _) = signals("-1", paused: "--p-------r----") { source, scheduler in
            source.timeout(total: .seconds(6), scheduler: scheduler)
        }
        observer.expect("-1----#", error: TimeoutError(exceeded: .total, limit: .seconds(6)))
    }

    private func single(
        _ operate: (Single<Int>, TestScheduler) -> Single<Int>
    ) -> TestableObserver<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let call = operate(Single.timer(.seconds(1), scheduler: scheduler), scheduler)
        return scheduler.start { call.asObservable().paused(by: "p---------r", on: scheduler) }
    }

    @Test func callThatEndsDuringPauseMeetsItsDeadline() {
        let observer = single { call, scheduler in
            call.timeout(total: .seconds(4), scheduler: scheduler).deadline(in: .seconds(6), scheduler: scheduler)
        }
        observer.expect("-(0|)")
    }

    @Test func callThatEndsDuringPauseReturnsItsPermit() {
        let bulkhead = Bulkhead(1)
        let scheduler = TestScheduler(initialClock: 0)
        let call = Single<Int>.timer(.seconds(1), scheduler: scheduler)
            .timeout(total: .seconds(9), scheduler: scheduler).admitted(by: bulkhead)
        let subscription = call.asObservable().paused(by: "p---------r", on: scheduler, from: 0).subscribe()
        scheduler.advanceTo(2)
        #expect(bulkhead.available == 1)
        subscription.dispose()
    }

    @Test func bothAttemptsOfAHedgeArePaused() {
        let (observer, source) = signals("----1|", paused: "--p-----r") { source, scheduler in
            source.hedged(after: .seconds(3), scheduler: scheduler)
        }
        // After the resume, the attempt that sends first wins. The other attempt is not resumed.
        source.expectSignals("--pp----r")
        observer.expect("--------(1|)")
    }
}
