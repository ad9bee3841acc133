import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SkipUntilTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func theFirstElementOfTheOtherOpensItAndIsTheLastAskedFor() {
        let source = scheduler.hot("{10}1{9}2{9}3{9}|")
        let other = scheduler.hot("{15}0{9}0")
        scheduler.start { source.skip(until: other) }.expect("{20}2{9}3{9}|")
        source.expectSubscriptions("^{39}!")
        other.expectSubscriptions("^{14}!")
    }

    @Test func whileItIsClosedItNeitherSendsNorCompletes() {
        let source = scheduler.hot("{10}1{9}|")
        let other = scheduler.hot("{30}0")
        scheduler.start { source.skip(until: other) }.expect("")
        source.expectSubscriptions("^{19}!")
        other.expectSubscriptions("^{19}!")
    }

    @Test func theOthersCompletionDoesNotOpenIt() {
        let source = scheduler.hot("{10}1{9}2{19}|")
        scheduler.start { source.skip(until: scheduler.hot("{15}|")) }.expect("")
    }

    /// Law 3: it is disposed of at its element.
    @Test func anErrorOfTheOtherAfterItsElementIsNotHeard() {
        let atOnce = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(TestError.a)
            return Disposables.create()
        }
        #expect(seen(Observable.of(1, 2).skip(until: atOnce)) == "1 2 completed")
        let source = scheduler.hot("{10}1{19}2{9}|")
        scheduler.start { source.skip(until: scheduler.hot("{15}0----#")) }.expect("{30}2{9}|")
    }

    @Test(arguments: [("{10}1----#", "{20}0"), ("{10}1", "{15}#")]) func eitherErrorEndsIt(
        source: String, other: String
    ) {
        let first = scheduler.hot(source)
        let second = scheduler.hot(other)
        scheduler.start { first.skip(until: second) }.expect("{15}#", error: TestError.a)
        first.expectSubscriptions("^{14}!")
        second.expectSubscriptions("^{14}!")
    }
}
