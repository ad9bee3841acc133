import RxOperators
import RxTest
import TestSupport
import Testing

struct DelayingErrorsTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func both(
        _ first: String, _ second: String, _ combine: (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) -> TestableObserver<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let (first, second) = (scheduler.hot(first), scheduler.hot(second))
        let result = combine(first.asObservable(), second.asObservable())
        return scheduler.start { result }
    }

    private func errors(_ result: Observable<Int>) -> [String] {
        nonisolated(unsafe) var errors: [String] = []
        _ = result.subscribe(onError: { error in
            errors = (error as? CompositeError)?.errors.map { "\($0)" } ?? ["only \(error)"]
        })
        return errors
    }

    @Test func mergeDelayingErrorsOneFailsOthersContinue() {
        both("-1-#", "--2---3|") { .merge([$0, $1], delayingErrors: true) }.expect("-12---3#", error: TestError.a)
    }

    @Test func mergeDelayingErrorsFalseFailsAtOnce() {
        both("-1-#", "--2---3|") { .merge([$0, $1], delayingErrors: false) }.expect("-12#", error: TestError.a)
    }

    @Test func mergeDelayingErrorsSeveralFailSendsAllErrors() {
        let failures = [TestError.b, TestError.a].map { Observable<Int>.error($0) }
        #expect(errors(.merge(failures, delayingErrors: true)) == ["b", "a"])
        #expect(errors(.merge([failures[0], .just(1)], delayingErrors: true)) == ["only b"])
    }

    @Test func mergeDelayingErrorsSubscribedTwiceCollectsErrorsAnew() {
        let failures = [TestError.b, TestError.a].map { Observable<Int>.error($0) }
        let merged = Observable.merge(failures, delayingErrors: true)
        #expect(errors(merged) == ["b", "a"])
        #expect(errors(merged) == ["b", "a"])
    }

    @Test func concatDelayingErrorsOneFailsNextFollows() {
        both("-1-#", "--2---3|") { .concat([$0, $1], delayingErrors: true) }.expect("-1----3#", error: TestError.a)
        both("-1-#", "--2---3|") { .concat([$0, $1], delayingErrors: false) }.expect("-1-#", error: TestError.a)
    }

    @Test func flatMapDelayingErrorsInnerFailsOthersContinue() {
        let inners = [scheduler.cold("--#"), scheduler.cold("---5|")]
        outcome("-01-|", on: scheduler) { $0.flatMap(delayingErrors: true) { inners[$0] } }
            .expect("-----5#", subscribed: "^---!")
    }

    @Test func flatMapDelayingErrorsSourceOrSelectorFailsInnerContinues() {
        let inner = scheduler.cold("---5|")
        outcome("-0#", on: scheduler) { $0.flatMap(delayingErrors: true) { _ in inner } }
            .expect("----5#", subscribed: "^-!")
        let thrown = TestScheduler(initialClock: 0)
        let other = thrown.cold("---5|")
        outcome("-01--|", on: thrown) { $0.flatMap(delayingErrors: true) { try passing($0, unless: 1, other) } }
            .expect("----5#", error: TestError.b, subscribed: "^-!")
    }

    @Test func switchLatestDelayingErrorsInnerFailsNextFollows() {
        let inners = [scheduler.cold("-#"), scheduler.cold("-5|")]
        outcome("-0-1|", on: scheduler) { $0.map { inners[$0] }.switchLatest(delayingErrors: true) }
            .expect("----5#", subscribed: "^---!")
    }

    @Test func combineLatestDelayingErrorsLastElementOfAFailedSourceStays() {
        both("-1#", "--2-3|") { .combineLatest([$0, $1], delayingErrors: true) { $0[0] + $0[1] } }
            .expect("--3-4#", error: TestError.a)
    }

    @Test func zipDelayingErrorsElementsOfAFailedSourceArePaired() {
        both("-12#", "---3-4-5|") { .zip([$0, $1], delayingErrors: true) { $0[0] + $0[1] } }
            .expect("---4-6-#", error: TestError.a)
    }

    @Test func delayingErrorsOnlyErrorsOfMarkedSourcesAreDelayed() {
        both("-#", "--2---|") { first, second in
            .delayingErrors { delayed in .merge(delayed(first), second) }
        }
        .expect("--2---#", error: TestError.a)
        both("-#", "--2---|") { first, second in
            .delayingErrors { delayed in .merge(first, delayed(second)) }
        }
        .expect("-#", error: TestError.a)
    }

    @Test func delayingErrorsClosureThrowsFails() {
        #expect(errors(.delayingErrors { _ in throw TestError.b }) == ["only b"])
    }

    @Test func compositeErrorDescriptionNamesEachError() {
        #expect("\(CompositeError([TestError.a, TestError.b]))" == "2 errors: a; b")
    }
}
