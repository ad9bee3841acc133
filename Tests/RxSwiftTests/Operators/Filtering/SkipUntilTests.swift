import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SkipUntilTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func firstTriggerElementOpensAndDisposesTrigger() {
        let source = scheduler.hot("--1-2-3-|")
        let other = scheduler.hot("---0-0")
        scheduler.start { source.skip(until: other) }.expect("----2-3-|")
        source.expectSubscriptions("^-------!")
        other.expectSubscriptions("^--!")
    }

    @Test func closedSkipUntilSendsNothing() {
        let source = scheduler.hot("--1-|")
        let other = scheduler.hot("------0")
        scheduler.start { source.skip(until: other) }.expect("")
        source.expectSubscriptions("^---!")
        other.expectSubscriptions("^---!")
    }

    @Test func triggerCompletionDoesNotOpen() {
        let source = scheduler.hot("--1-2---|")
        scheduler.start { source.skip(until: scheduler.hot("---|")) }.expect("")
    }

    @Test func triggerErrorAfterItsElementIsIgnored() {
        let atOnce = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(TestError.a)
            return Disposables.create()
        }
        #expect(seen(Observable.of(1, 2).skip(until: atOnce)) == "1 2 completed")
        let source = scheduler.hot("--1---2-|")
        scheduler.start { source.skip(until: scheduler.hot("---0#")) }.expect("------2-|")
    }

    /// As in RxSwift, the operator opens before it disposes of the trigger.
    @Test func elementDuringDisposalOfTriggerPasses() {
        let log = Log()
        let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = source.skip(until: other.do(onDispose: { source.onNext(1) })).note(in: log)
        other.onNext(0)
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test(arguments: [("--1#", "----0"), ("--1", "---#")]) func eitherErrorEndsIt(
        source: String, other: String
    ) {
        let first = scheduler.hot(source)
        let second = scheduler.hot(other)
        scheduler.start { first.skip(until: second) }.expect("---#", error: TestError.a)
        first.expectSubscriptions("^--!")
        second.expectSubscriptions("^--!")
    }
}
