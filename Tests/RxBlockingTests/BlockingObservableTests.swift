import RxBlocking
import TestSupport
import Testing

@Suite struct BlockingObservableTests {
    private let ones = Observable.of(1, 2, 3)
    private let failing = Observable.of(1, 2).concat(Observable.error(TestError.a))

    @Test func toArrayHasAllElements() throws {
        #expect(try ones.toBlocking().toArray() == [1, 2, 3])
        #expect(throws: TestError.a) { try failing.toBlocking().toArray() }
    }

    @Test func firstDoesNotWaitForTheEnd() throws {
        #expect(try Observable.of(1).concat(Observable.never()).toBlocking().first() == 1)
        #expect(try failing.toBlocking().first() == 1)
        #expect(try Observable<Int>.empty().toBlocking().first() == nil)
    }

    @Test func firstEndsAnEndlessSource() throws {
        let first = try runOnThread { try Observable.repeatElement(1).toBlocking().first() }
        #expect(first == 1)
    }

    @Test func lastIsThatBeforeTheEnd() throws {
        #expect(try ones.toBlocking().last() == 3)
        #expect(try Observable<Int>.empty().toBlocking().last() == nil)
        #expect(throws: TestError.a) { try failing.toBlocking().last() }
    }

    @Test func lastHoldsOneElement() throws {
        let elements = LifetimeTracker()
        nonisolated(unsafe) var most = 0
        let source = Observable.range(start: 0, count: 100).map { elements.make($0) }
            .do(onNext: { _ in most = max(most, elements.live) })
        #expect(try source.toBlocking().last()?.value == 99)
        #expect(most <= 3)
    }

    @Test func singleWantsExactlyOneElement() throws {
        #expect(try Observable.just(1).toBlocking().single() == 1)
        #expect(try ones.toBlocking().single { $0 == 2 } == 2)
        #expect(throws: RxError.self) { try ones.toBlocking().single() }
        #expect(throws: RxError.self) { try Observable<Int>.empty().toBlocking().single() }
    }

    @Test func singleThrowsAtSecondElementAndWithoutElement() {
        let tooMany = #expect(throws: RxError.self) {
            try ones.concat(Observable.never()).toBlocking(timeout: 30).single()
        }
        let none = #expect(throws: RxError.self) { try Observable<Int>.empty().toBlocking().single() }
        guard case .moreThanOneElement? = tooMany, case .noElements? = none else {
            Issue.record("\(String(describing: tooMany)), \(String(describing: none))")
            return
        }
    }

    @Test func predicateIsNotCalledAfterSecondMatch() {
        let asked = Log()
        let sent = Observable<Int>.create { observer in
            for element in 1...3 { observer.onNext(element) }
            return Disposables.create()
        }
        #expect(throws: RxError.self) {
            try sent.toBlocking(timeout: 30).single {
                asked($0)
                return true
            }
        }
        #expect(asked.text == "1 2")
    }

    @Test func throwingPredicateStopsSourceDuringSubscription() {
        nonisolated(unsafe) var asked = 0
        #expect(throws: TestError.b) {
            try Observable.range(start: 0, count: 1_000).toBlocking().single { _ in
                asked += 1
                throw TestError.b
            }
        }
        #expect(asked == 1)
    }

    @Test func singleThrowsErrorOfPredicate() {
        #expect(throws: TestError.b) { try ones.toBlocking().single { if $0 == 2 { throw TestError.b } else { true } } }
    }

    @Test func materializeReturnsElementsAndError() {
        guard case .failed([1, 2], TestError.a) = failing.toBlocking().materialize() else {
            Issue.record("it should have failed")
            return
        }
        guard case .completed([1, 2, 3]) = ones.toBlocking().materialize() else {
            Issue.record("it should have completed")
            return
        }
    }
}
