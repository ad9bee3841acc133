import RxSwiftExt
import TestSupport
import Testing

struct FromAsyncTests {
    private let log = Log()

    @Test func valueIsFollowedByCompletion() {
        nonisolated(unsafe) var complete: (@Sendable (Int) -> Void)?
        let subscription = Observable<Int>.fromAsync { complete = $0 }.note(in: log)
        #expect(log.take() == "")
        complete?(1)
        complete?(2)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func aSecondCallWithinTheFirstDoesNotCount() {
        nonisolated(unsafe) var complete: (@Sendable (Int) -> Void)?
        let subscription = Observable<Int>.fromAsync { complete = $0 }
            .do(onNext: { _ in complete?(2) }).note(in: log)
        complete?(1)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func aSecondCallByAnotherThreadDuringTheFirstDoesNotCount() {
        nonisolated(unsafe) var complete: (@Sendable (Int) -> Void)?
        let subscription = Observable<Int>.fromAsync { complete = $0 }
            .do(onNext: { number in if number == 1 { try runOnThread { complete?(2) } } }).note(in: log)
        complete?(1)
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func eachSubscriptionMakesARequest() {
        let source = Observable<Int>.fromAsync { [log] completion in
            log("request")
            completion(1)
        }
        #expect(log.text == "")
        #expect(seen(source) == "1 completed")
        #expect(seen(source) == "1 completed")
        #expect(log.text == "request request")
    }

    @Test func valueAfterDisposalIsDropped() {
        nonisolated(unsafe) var complete: (@Sendable (Int) -> Void)?
        Observable<Int>.fromAsync { complete = $0 }.note(in: log).dispose()
        complete?(1)
        #expect(log.text == "")
    }

    @Test func fromAsyncPassesArguments() {
        @Sendable func one(_ a: Int, _ done: (String) -> Void) { done("\(a)") }
        @Sendable func two(_ a: Int, _ b: String, _ done: (String) -> Void) { done("\(a)\(b)") }
        @Sendable func ten(
            _ a: Int, _ b: String, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int, _ i: Int, _ j: Double,
            _ done: (String) -> Void
        ) {
            done("\(a)\(b)\(c)\(d)\(e)\(f)\(g)\(h)\(i)\(j)")
        }
        #expect(seen(Observable.fromAsync(one)(1)) == "1 completed")
        #expect(seen(Observable.fromAsync(two)(1, "b")) == "1b completed")
        #expect(seen(Observable.fromAsync(ten)(1, "b", 3, 4, 5, 6, 7, 8, 9, 0.5)) == "1b34567890.5 completed")
    }

    private func single(_ element: Int?, _ error: TestError?) -> String {
        seen(
            Single<Int>.fromAsync { (completion: @escaping (Int?, TestError?) -> Void) in completion(element, error) }
                .asObservable())
    }

    @Test func aSingleHasTheValueOrTheError() {
        #expect(single(1, nil) == "1 completed")
        #expect(single(nil, .a) == "error(a)")
    }

    @Test func anInconsistentAnswerIsAnError() {
        #expect(single(1, .a) == "error(inconsistentCompletionResult)")
        #expect(single(nil, nil) == "error(inconsistentCompletionResult)")
    }

    @Test func singleFromAsyncPassesArguments() {
        @Sendable func one(_ a: Int, _ done: (String?, TestError?) -> Void) { done("\(a)", nil) }
        @Sendable func three(_ a: Int, _ b: String, _ c: Double, _ done: (String?, TestError?) -> Void) {
            done("\(a)\(b)\(c)", nil)
        }
        #expect(seen(Single.fromAsync(one)(1).asObservable()) == "1 completed")
        #expect(seen(Single.fromAsync(three)(1, "b", 0.5).asObservable()) == "1b0.5 completed")
    }
}
