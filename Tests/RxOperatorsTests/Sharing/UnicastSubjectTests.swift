import RxOperators
import RxTest
import TestSupport
import Testing

struct UnicastSubjectTests {
    private let log = Log()

    private func observe(_ source: Observable<Int>, as name: String = "") -> any Disposable {
        source.subscribe(
            onNext: { [log] in log("\(name)\($0)") }, onError: { [log] in log("\(name)\($0)") },
            onCompleted: { [log] in log("\(name)|") })
    }

    @Test func unicastSubjectElementsBeforeTheObserverAreDeliveredFirst() {
        let subject = UnicastSubject<Int>()
        subject.onNext(1)
        subject.onNext(2)
        #expect(!subject.hasObservers)
        let subscription = observe(subject.asObservable())
        #expect(subject.hasObservers)
        subject.onNext(3)
        subject.onCompleted()
        subject.onNext(4)
        #expect(log.text == "1 2 3 |")
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    @Test func unicastSubjectEndedBeforeTheObserverDeliversElementsAndEnd() {
        let subject = UnicastSubject<Int>()
        subject.onNext(1)
        subject.onError(TestError.a)
        #expect(subject.offer(2) == .ended)
        observe(subject.asObservable()).dispose()
        #expect(log.text == "1 a")
    }

    @Test func unicastSubjectSecondObserverFails() {
        let subject = UnicastSubject<Int>()
        let first = observe(subject.asObservable(), as: "a")
        let second = observe(subject.asObservable(), as: "b")
        subject.onNext(1)
        first.dispose()
        let third = observe(subject.asObservable(), as: "c")
        #expect(log.text == "b\(SecondObserverError()) a1 c\(SecondObserverError())")
        second.dispose()
        third.dispose()
    }

    @Test func unicastSubjectObserverLeavesReleasesWhatWaits() {
        let subject = UnicastSubject<LifetimeTracker.Tracked>(), tracker = LifetimeTracker()
        for number in 0..<3 { subject.onNext(tracker.make(number)) }
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = subject.asObservable().observe(on: scheduler).bounded(1).subscribe()
        #expect(tracker.live == 3)
        subscription.dispose()
        scheduler.start()
        #expect(tracker.live == 0)
        #expect(subject.offer(tracker.make(3)) == .ended)
        #expect(tracker.live == 0)
    }

    @Test func unicastSubjectFullRejectsOffers() {
        let subject = UnicastSubject<Int>(bound: 2)
        #expect([1, 2, 3].map(subject.offer) == [.delivered, .delivered, .paused])
        let subscription = observe(subject.asObservable())
        #expect(subject.offer(4) == .delivered)
        #expect(log.text == "1 2 4")
        subscription.dispose()
    }

    @Test func unicastSubjectFullOnNextFailsAfterTheWaitingElements() {
        let subject = UnicastSubject<Int>(bound: 2)
        for element in 1...3 { subject.onNext(element) }
        #expect(subject.offer(4) == .ended)
        observe(subject.asObservable()).dispose()
        let error = FlowError.overflow(boundary: "UnicastSubject", limit: 2, source: "a caller of onNext")
        #expect(log.text == "1 2 \(error)")
    }

    @Test func unicastSubjectObserverPausesElementsWaitInTheSubject() {
        let subject = UnicastSubject<Int>(bound: 2), scheduler = TestScheduler(initialClock: 0)
        let subscription = observe(subject.asObservable().observe(on: scheduler).bounded(1))
        // One element waits in the bounded queue, and two in the subject.
        #expect([1, 2, 3, 4].map(subject.offer) == [.delivered, .delivered, .delivered, .paused])
        scheduler.start()
        #expect(log.text == "1 2 3")
        subject.onNext(5)
        subject.onNext(6)
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "1 2 3 5 6 |")
        subscription.dispose()
    }

    /// If the subject requested two resumes in one pause, it could deliver elements twice.
    @Test func unicastSubjectObserverPausesOftenElementsAreDeliveredOnce() {
        let subject = UnicastSubject<Int>(), scheduler = TestScheduler(initialClock: 0)
        for element in 0..<200 { subject.onNext(element) }
        let subscription = observe(subject.asObservable().observe(on: scheduler).bounded(1))
        scheduler.start()
        #expect(log.entries == (0..<200).map { "\($0)" })
        subscription.dispose()
    }

    @Test func unicastSubjectFailedReleasesTheError() {
        final class Failure: Error {}
        let subject = UnicastSubject<Int>()
        var failure: Failure? = Failure()
        weak let released = failure
        subject.onError(failure!)
        failure = nil
        #expect(released != nil)
        subject.asObservable().subscribe(onError: { _ in }).dispose()
        #expect(released == nil)
    }

    @Test func unicastSubjectObserverPushesElementsStayInOrder() {
        let subject = UnicastSubject<Int>()
        let subscription = subject.asObservable().subscribe(onNext: { [log] element in
            if element == 1 { subject.onNext(2) }
            log(element)
        })
        subject.onNext(1)
        #expect(log.text == "1 2")
        subscription.dispose()
    }

    @Test func unicastSubjectSeveralThreadsEveryElementIsDeliveredOnce() throws {
        let subject = UnicastSubject<Int>()
        nonisolated(unsafe) var sum = 0
        let subscription = subject.asObservable().subscribe(onNext: { sum += $0 })
        try runConcurrently(threads: 4, timeout: 60) { _ in for element in 1...1_000 { subject.onNext(element) } }
        #expect(sum == 4 * 500_500)
        subscription.dispose()
    }
}
