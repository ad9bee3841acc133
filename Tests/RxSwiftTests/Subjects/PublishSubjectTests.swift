import RxSwift
import TestSupport
import Testing

struct PublishSubjectTests {
    private let subject = PublishSubject<Int>()
    private let log = Log()

    @Test func elementReachesCurrentObservers() {
        let early = subject.note(in: log, as: "a")
        subject.onNext(1)
        let late = subject.note(in: log, as: "b")
        subject.onNext(2)
        #expect(log.text == "a1 a2 b2")
        early.dispose()
        late.dispose()
    }

    @Test(
        arguments: [(nil, "a1 acompleted bcompleted"), (TestError.a, "a1 aerror(a) berror(a)")]
            as [(TestError?, String)])
    func terminalEventReachesCurrentAndLaterObservers(error: TestError?, told: String) {
        _ = subject.note(in: log, as: "a")
        subject.onNext(1)
        if let error { subject.onError(error) } else { subject.onCompleted() }
        subject.onNext(2)
        _ = subject.note(in: log, as: "b")
        #expect(log.text == told)
    }

    @Test func hasObserversIsFalseDuringTerminalEvent() {
        let tell = { @Sendable [subject, log] in log(subject.hasObservers) }
        tell()
        for _ in 0..<2 { _ = subject.subscribe(onCompleted: tell) }
        tell()
        subject.onCompleted()
        #expect(log.text == "false true false false")
    }

    @Test func anObserverThatSubscribesDuringADeliveryMissesThatElement() {
        let inner = SerialDisposable()
        let outer = subject.subscribe(onNext: { [subject, log] in
            log("a\($0)")
            if $0 == 1 { inner.disposable = subject.note(in: log, as: "b") }
        })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "a1 a2 b2")
        outer.dispose()
        inner.dispose()
    }

    @Test func observerDisposedBeforeItsTurnReceivesNothing() {
        let second = SerialDisposable()
        let first = subject.subscribe(onNext: { [log] in
            log("a\($0)")
            second.dispose()
        })
        second.disposable = subject.note(in: log, as: "b")
        subject.onNext(1)
        #expect(log.text == "a1")
        first.dispose()
    }

    @Test func elementPushedByObserverReachesAllAtOnce() {
        let first = subject.subscribe(onNext: { [subject, log] in
            log("a\($0)")
            if $0 == 1 { subject.onNext(2) }
        })
        let second = subject.note(in: log, as: "b")
        subject.onNext(1)
        #expect(log.text == "a1 a2 b2 b1")
        first.dispose()
        second.dispose()
    }

    @Test func completionFromObserverDropsElementForLaterObservers() {
        _ = subject.subscribe(
            onNext: { [subject, log] in
                log("a\($0)")
                subject.onCompleted()
            }, onCompleted: { [log] in log("acompleted") })
        _ = subject.note(in: log, as: "b")
        subject.onNext(1)
        #expect(log.text == "a1 acompleted bcompleted")
    }

    @Test func hasObserversReflectsSubscriptions() {
        #expect(!subject.hasObservers)
        let subscription = subject.subscribe()
        #expect(subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func hasNoObserversOnceItHasEnded() {
        let subscription = subject.subscribe()
        subject.onCompleted()
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    @Test func isDisposedOnlyOnceItWasDisposedOf() {
        subject.onCompleted()
        #expect(!subject.isDisposed)
        subject.dispose()
        #expect(subject.isDisposed)
    }

    @Test func disposedItIsSilent() {
        let subscription = subject.note(in: log)
        subject.dispose()
        subject.onNext(1)
        #expect(subject.isDisposed)
        #expect(!subject.hasObservers)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func observerAfterDisposalReceivesDisposedError() {
        subject.dispose()
        #expect(seen(subject) == "error(Object `RxSwift.PublishSubject<Swift.Int>` was already disposed.)")
    }

    @Test(arguments: [(nil, "completed"), (TestError.a, "error(a)")] as [(TestError?, String)])
    func terminalEventAfterDisposalReachesLaterObservers(error: TestError?, told: String) {
        subject.dispose()
        if let error { subject.onError(error) } else { subject.onCompleted() }
        #expect(seen(subject) == told)
    }

    @Test func firstTerminalEventAfterDisposalIsKept() {
        subject.dispose()
        subject.onCompleted()
        subject.onError(TestError.a)
        #expect(seen(subject) == "completed")
    }

    @Test func secondTerminalEventBeforeDisposalIsIgnored() {
        subject.onCompleted()
        subject.onError(TestError.a)
        subject.dispose()
        #expect(seen(subject) == "error(Object `RxSwift.PublishSubject<Swift.Int>` was already disposed.)")
    }

    @Test func terminalEventAfterDisposalOfEndedSubjectIsKept() {
        subject.onCompleted()
        subject.dispose()
        subject.onError(TestError.a)
        #expect(seen(subject) == "error(a)")
    }

    @Test func releasedSubjectFreesObservers() {
        let tracker = LifetimeTracker()
        var (held, subject): (LifetimeTracker.Tracked?, PublishSubject<Int>?) = (tracker.make(), PublishSubject())
        let subscription = subject!.subscribe(onNext: { [held] _ in _ = held })
        held = nil
        #expect(tracker.live == 1)
        subject = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func elementAfterEndIsFreed() {
        let (tracker, subject) = (LifetimeTracker(), PublishSubject<LifetimeTracker.Tracked>())
        subject.onCompleted()
        subject.onNext(tracker.make())
        #expect(tracker.live == 0)
    }

    @Test func elementReachesHundredObserversInOrder() {
        let subscriptions = (0..<100).map { subject.note(in: log, as: "\($0):") }
        subject.onNext(7)
        #expect(log.entries == (0..<100).map { "\($0):7" })
        subscriptions.forEach { $0.dispose() }
    }

    @Test(arguments: [nil, TestError.a]) func elementPushedDuringTerminalEventIsDropped(error: TestError?) {
        let push = { @Sendable [subject] in subject.onNext(1) }
        let first = subject.subscribe(onError: { _ in push() }, onCompleted: push)
        let second = subject.note(in: log, as: "b")
        if let error { subject.onError(error) } else { subject.onCompleted() }
        #expect(log.text == (error == nil ? "bcompleted" : "berror(a)"))
        first.dispose()
        second.dispose()
    }
}
