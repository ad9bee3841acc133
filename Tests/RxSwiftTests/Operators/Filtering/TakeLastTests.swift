import RxSwift
import TestSupport
import Testing

struct TakeLastTests {
    @Test(arguments: [
        (2, "250:3 250:4 250| (200: 250)"), (3, "250:2 250:3 250:4 250| (200: 250)"),
        (9, "250:1 250:2 250:3 250:4 250| (200: 250)"),
        (1, "250:4 250| (200: 250)"), (0, "250| (200: 250)"),
    ])
    func sendsTheLastAtTheEnd(count: Int, expected: String) {
        #expect(outcome("210:1 220:2 230:3 240:4 250|") { $0.takeLast(count) } == expected)
    }

    @Test func dropsThemWithAnError() {
        #expect(outcome("210:1 220!") { $0.takeLast(2) } == "220! (200: 220)")
    }

    @Test func freesWhatIsDisplacedAtOnceAndTheRestWithTheEnd() {
        let (subject, tracker) = (PublishSubject<LifetimeTracker.Tracked>(), LifetimeTracker())
        _ = subject.takeLast(2).subscribe()
        for number in 0..<5 { subject.onNext(tracker.make(number)) }
        #expect(tracker.live == 2)
        subject.onError(TestError.a)
        #expect(tracker.live == 0)
    }

    @Test func sendsNothingAfterADisposalInBetween() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        var subscription: (any Disposable)?
        subscription = subject.takeLast(2).subscribe(onNext: {
            log($0)
            subscription?.dispose()
        })
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.text == "1")
    }
}
