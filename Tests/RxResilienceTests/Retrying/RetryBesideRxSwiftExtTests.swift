import RxResilience
import RxSwiftExt
import TestSupport
import Testing

/// RxResilience and RxSwiftExt both have a `retry`; the arguments select one.
@Suite struct RetryBesideRxSwiftExtTests {
    private let source = Observable<Int>.just(1).concat(RxSwift.Observable.error(TestError.a))

    @Test func eachRetryOverloadIsSelectedByArguments() {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        #expect(seen(source.retry(2)) == "1 1 error(a)")
        #expect(seen(source.retry(.immediate(maxCount: 2))) == "1 1 error(a)")
        #expect(seen(source.retry(.immediate(maxCount: 2), scheduler: scheduler)) == "1 1 error(a)")
        #expect(seen(source.retry(.atOnce(attempts: 2), scheduler: scheduler)) == "1 1 error(a)")
        #expect(seen(source.retry(.atOnce(attempts: 2), if: { _ in false }, scheduler: scheduler)) == "1 error(a)")
        let backoff = ExponentialBackoff(maxCount: 2, initial: .nanoseconds(0), limit: .nanoseconds(0))
        #expect(seen(source.retry(backoff: backoff, scheduler: scheduler, shouldRetry: { _ in false })) == "1 error(a)")
    }
}
