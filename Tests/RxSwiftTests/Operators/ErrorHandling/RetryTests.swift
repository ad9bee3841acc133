import RxSwift
import RxTest
import TestSupport
import Testing

struct RetryTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    @Test func retriesUntilItSucceeds() {
        let source = scheduler.cold("--1-#")
        scheduler.start("^----------!") { source.retry() }.expect("--1---1---1")
        source.expectSubscriptions("^---!", "----^---!", "--------^--!")
        #expect(seen(Observable.just(1).retry()) == "1 completed")
    }

    @Test func retryCountLimitsAttempts() {
        let source = scheduler.cold("--1-#")
        scheduler.start { source.retry(2) }.expect("--1---1-#", error: TestError.a)
        source.expectSubscriptions("^---!", "----^---!")
    }

    @Test func withoutAnAttemptItCompletes() {
        #expect(seen(Observable.just(1).retry(0)) == "completed")
    }

    @Test func disposesEachAttemptBeforeTheNext() {
        nonisolated(unsafe) var attempt = 0
        let log = log
        let source = Observable<Int>.deferred {
            attempt += 1
            let result: Observable<Int> = attempt < 3 ? .error(TestError.a) : .of(attempt)
            return result.noteLifetime(in: log, as: "a\(attempt)")
        }
        _ = source.retry().noteLifetime(in: log, as: "c").note(in: log)
        #expect(log.text == "c+ a1+ a1- a2+ a2- a3+ 3 completed a3- c-")
    }

    @Test func hundredThousandAttemptsFitSmallStack() throws {
        let attempts = try runOnSmallThread {
            nonisolated(unsafe) var attempts = 0
            let source = Observable<Int>.deferred {
                attempts += 1
                return attempts < 100_000 ? .error(TestError.a) : .just(attempts)
            }
            _ = source.retry().subscribe()
            return attempts
        }
        #expect(attempts == 100_000)
    }
}
