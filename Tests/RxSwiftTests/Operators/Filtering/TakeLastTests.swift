import RxSwift
import RxTest
import TestSupport
import Testing

struct TakeLastTests {
    @Test(arguments: [
        (2, "----------(34|)", "^---------!"),
        (3, "----------(234|)", "^---------!"),
        (9, "----------(1234|)", "^---------!"),
        (1, "----------(4|)", "^---------!"),
        (0, "----------|", "^---------!"),
    ])
    func sendsTheLastAtTheEnd(count: Int, expected: String, subscribed: String) {
        outcome("--1-2-3-4-|") { $0.takeLast(count) }.expect(expected, subscribed: subscribed)
    }

    @Test func dropsThemWithAnError() {
        outcome("--1-#") { $0.takeLast(2) }.expect("----#", subscribed: "^---!")
    }

    @Test func displacedElementsAreFreedAtOnce() {
        let (subject, tracker) = (PublishSubject<LifetimeTracker.Tracked>(), LifetimeTracker())
        _ = subject.takeLast(2).subscribe()
        for number in 0..<5 { subject.onNext(tracker.make(number)) }
        #expect(tracker.live == 2)
        subject.onError(TestError.a)
        #expect(tracker.live == 0)
    }

    @Test func sendsNothingAfterADisposalInBetween() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) var subscription: (any Disposable)?
        subscription = subject.takeLast(2).subscribe(onNext: {
            log($0)
            subscription?.dispose()
        })
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.text == "1")
    }

    @Test func keptElementsWaitForResume() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-123|")
        scheduler.start { source.takeLast(2).paused(by: "--p---r", on: scheduler) }.expect("------(23|)")
    }

    @Test func keptElementsOfSubjectMayExceedBoundBelow() {
        let (scheduler, subject, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
        let subscription = subject.takeLast(5).observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        for element in 1...9 { subject.onNext(element) }
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "5 6 7 8 9 completed")
        subscription.dispose()
    }

    @Test func takeLastErrorDuringPauseDropsElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-12-#")
        scheduler.start { source.takeLast(2).paused(by: "--p---r", on: scheduler) }
            .expect("----#", error: TestError.a)
    }

    @Test func trapsOnANegativeCount() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).takeLast(-1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count can't be negative (takeLast, count: -1)"))
    }
}
