import RxSwift
import TestSupport
import Testing

struct TakeLastTests {
    @Test(arguments: [
        (2, "{50}(34|)", "^{49}!"),
        (3, "{50}(234|)", "^{49}!"),
        (9, "{50}(1234|)", "^{49}!"),
        (1, "{50}(4|)", "^{49}!"),
        (0, "{50}|", "^{49}!"),
    ])
    func sendsTheLastAtTheEnd(count: Int, expected: String, subscribed: String) {
        outcome("{10}1{9}2{9}3{9}4{9}|") { $0.takeLast(count) }.expect(expected, subscribed: subscribed)
    }

    @Test func dropsThemWithAnError() {
        outcome("{10}1{9}#") { $0.takeLast(2) }.expect("{20}#", subscribed: "^{19}!")
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
