import RxSwift
import TestSupport
import Testing

struct AsyncSubjectTests {
    private let subject = AsyncSubject<Int>()
    private let log = Log()

    @Test func completionDeliversLastElement() {
        _ = subject.note(in: log, as: "a")
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "")
        subject.onCompleted()
        _ = subject.note(in: log, as: "b")
        #expect(log.text == "a2 acompleted b2 bcompleted")
    }

    @Test func completesAloneWithoutAnElement() {
        _ = subject.note(in: log)
        subject.onCompleted()
        #expect(log.text == "completed")
        #expect(seen(subject) == "completed")
    }

    @Test func errorDeliversNoElement() {
        _ = subject.note(in: log)
        subject.onNext(1)
        subject.onError(TestError.a)
        #expect(log.text == "error(a)")
        #expect(seen(subject) == "error(a)")
    }

    @Test func eventsAfterEndAreDropped() {
        subject.onNext(1)
        subject.onCompleted()
        subject.onNext(2)
        subject.onError(TestError.a)
        #expect(seen(subject) == "1 completed")
    }

    @Test func disposedObserverReceivesNothing() {
        let subscription = subject.note(in: log)
        subject.onNext(1)
        subscription.dispose()
        #expect(!subject.hasObservers)
        subject.onCompleted()
        #expect(log.text == "")
    }

    @Test func keepsOneElement() {
        let (tracker, subject) = (LifetimeTracker(), AsyncSubject<LifetimeTracker.Tracked>())
        (0..<5).forEach { subject.onNext(tracker.make($0)) }
        withExtendedLifetime(subject) { #expect(tracker.live == 1) }
    }

    @Test func failedSubjectFreesElement() {
        let (tracker, subject) = (LifetimeTracker(), AsyncSubject<LifetimeTracker.Tracked>())
        subject.onNext(tracker.make())
        subject.onError(TestError.a)
        withExtendedLifetime(subject) { #expect(tracker.live == 0) }
    }

    @Test func releasedSubjectFreesObservers() {
        let tracker = LifetimeTracker()
        var (held, subject): (LifetimeTracker.Tracked?, AsyncSubject<Int>?) = (tracker.make(), AsyncSubject())
        let subscription = subject!.subscribe(onNext: { [held] _ in _ = held })
        held = nil
        subject = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func hasObserversReflectsSubscriptions() {
        #expect(!subject.hasObservers)
        let subscription = subject.note(in: log)
        #expect(subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }
}
