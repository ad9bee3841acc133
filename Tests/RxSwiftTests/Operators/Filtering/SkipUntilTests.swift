import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SkipUntilTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func theFirstElementOfTheOtherOpensItAndIsTheLastAskedFor() {
        let source = scheduler.hot("210:1 220:2 230:3 240|")
        let other = scheduler.hot("215:0 225:0")
        #expect(scheduler.start { source.skip(until: other) }.marble == "220:2 230:3 240|")
        #expect(source.subscribed == "(200: 240)")
        #expect(other.subscribed == "(200: 215)")
    }

    @Test func whileItIsClosedItNeitherSendsNorCompletes() {
        let source = scheduler.hot("210:1 220|")
        let other = scheduler.hot("230:0")
        #expect(scheduler.start { source.skip(until: other) }.marble == "")
        #expect(source.subscribed == "(200: 220)")
        #expect(other.subscribed == "(200: 220)")
    }

    @Test func theOthersCompletionDoesNotOpenIt() {
        let source = scheduler.hot("210:1 220:2 240|")
        #expect(scheduler.start { source.skip(until: scheduler.hot("215|")) }.marble == "")
    }

    /// Law 3: it is disposed of at its element.
    @Test func anErrorOfTheOtherAfterItsElementIsNotHeard() {
        let atOnce = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(TestError.a)
            return Disposables.create()
        }
        #expect(seen(Observable.of(1, 2).skip(until: atOnce)) == "1 2 completed")
        let source = scheduler.hot("210:1 230:2 240|")
        #expect(scheduler.start { source.skip(until: scheduler.hot("215:0 220!")) }.marble == "230:2 240|")
    }

    @Test(arguments: [("210:1 215!", "220:0"), ("210:1", "215!")]) func eitherErrorEndsIt(source: String, other: String)
    {
        let first = scheduler.hot(source)
        let second = scheduler.hot(other)
        #expect(scheduler.start { first.skip(until: second) }.marble == "215!")
        #expect(first.subscribed == "(200: 215)")
        #expect(second.subscribed == "(200: 215)")
    }
}
