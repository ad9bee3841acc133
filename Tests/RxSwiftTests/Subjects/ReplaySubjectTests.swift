import Dispatch
import RxSwift
import TestSupport
import Testing

struct ReplaySubjectTests {
    private let subject = ReplaySubject<Int>.create(bufferSize: 2)
    private let log = Log()

    @Test(arguments: [(0, ""), (1, "3"), (2, "2 3"), (3, "1 2 3"), (999_999_999, "1 2 3")])
    func replaysTheLast(bufferSize: Int, replayed: String) {
        let subject = ReplaySubject<Int>.create(bufferSize: bufferSize)
        (1...3).forEach(subject.onNext)
        #expect(seen(subject) == replayed)
    }

    @Test func unboundedReplaysAll() {
        let subject = ReplaySubject<Int>.createUnbounded()
        (1...1_000).forEach(subject.onNext)
        #expect(seen(subject) == (1...1_000).texts.joined(separator: " "))
    }

    @Test(arguments: [(nil, "2 3 completed"), (TestError.a, "2 3 error(a)")] as [(TestError?, String)])
    func replaysBeforeTheEnd(error: TestError?, replayed: String) {
        (1...3).forEach(subject.onNext)
        if let error { subject.onError(error) } else { subject.onCompleted() }
        subject.onNext(4)
        #expect(seen(subject) == replayed)
    }

    @Test func elementPushedByObserverDuringReplayFollowsIt() {
        [1, 2].forEach(subject.onNext)
        let subscription = subject.subscribe(onNext: { [subject, log] in
            log("s\($0)")
            if $0 == 1 { subject.onNext(3) }
            log("e\($0)")
        })
        #expect(log.text == "s1 e1 s2 e2 s3 e3")
        subscription.dispose()
    }

    @Test func elementPushedDuringLastReplayedElementIsDeliveredAtOnce() {
        subject.onNext(1)
        let subscription = subject.subscribe(onNext: { [subject, log] in
            log("s\($0)")
            if $0 == 1 { subject.onNext(2) }
            log("e\($0)")
        })
        #expect(log.text == "s1 s2 e2 e1")
        subscription.dispose()
    }

    @Test func aReplayStopsWithTheDisposal() {
        [1, 2].forEach(subject.onNext)
        _ = subject.take(1).note(in: log)
        #expect(log.text == "1 completed")
    }

    @Test func aReplayStopsWithTheDisposalOfTheSubject() {
        [1, 2].forEach(subject.onNext)
        let subscription = subject.subscribe(onNext: { [subject, log] element in
            log(element)
            subject.dispose()
        })
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test func elementFromAnotherThreadDuringReplayFollowsIt() throws {
        [1, 2].forEach(subject.onNext)
        let subscription = subject.subscribe(onNext: { [subject, log] in
            if $0 == 1 { _ = try? runOnThread { subject.onNext(3) } }
            log($0)
        })
        #expect(log.text == "1 2 3")
        subscription.dispose()
    }

    @Test(arguments: [(nil, "1 2 completed"), (TestError.a, "1 2 error(a)")] as [(TestError?, String)])
    func terminalEventDuringReplayFollowsReplay(error: TestError?, told: String) {
        [1, 2].forEach(subject.onNext)
        let subscription = subject.do(onNext: { [subject] in
            guard $0 == 1 else { return }
            _ = try? runOnThread { if let error { subject.onError(error) } else { subject.onCompleted() } }
        }).note(in: log)
        #expect(log.text == told)
        subscription.dispose()
    }

    /// The thread that delivers 3 must also deliver 4.
    @Test func elementDuringReplayWaitsForCurrentDelivery() throws {
        let (isReplaying, go, bag) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), CompositeDisposable())
        subject.onNext(1)
        subject.onNext(2)
        let subscribed = DispatchSemaphore(value: 0)
        _ = bag.insert(
            subject.subscribe(onNext: { [subject, log] in
                guard $0 == 3 else { return }
                startThread {
                    _ = bag.insert(
                        subject.subscribe(onNext: {
                            log($0)
                            if $0 != 2 { return }
                            isReplaying.signal()
                            go.wait()
                        }))
                    subscribed.signal()
                }
                isReplaying.wait()
                subject.onNext(4)
                go.signal()
                subscribed.wait()
                log("delivered")
            }))
        subject.onNext(3)
        #expect(log.text == "2 3 delivered 4")
        bag.dispose()
    }

    @Test func elementFromAnotherThreadAfterNestedReplayFollowsDelivery() {
        let bag = CompositeDisposable()
        @Sendable func subscribeWithin() {
            _ = bag.insert(
                subject.subscribe(onNext: { [subject, log] in
                    log("b\($0)")
                    if $0 == 1 { subject.onNext(3) }
                }))
        }
        _ = bag.insert(
            subject.subscribe(onNext: { [subject, log] in
                log("s\($0)")
                if $0 == 2 {
                    subscribeWithin()
                    _ = try? runOnThread { subject.onNext(4) }
                }
                log("e\($0)")
            }))
        [1, 2].forEach(subject.onNext)
        #expect(log.text == "s1 e1 s2 b1 s3 e3 b2 b3 e2 s4 e4 b4")
        bag.dispose()
    }

    @Test func disposedSubjectFreesBufferAndSendsDisposedError() {
        let tracker = LifetimeTracker()
        let subject = ReplaySubject<LifetimeTracker.Tracked>.createUnbounded()
        (0..<5).forEach { subject.onNext(tracker.make($0)) }
        subject.dispose()
        #expect(tracker.live == 0)
        #expect(seen(subject).contains("was already disposed"))
    }

    @Test func keepsAsManyAsItReplays() {
        let tracker = LifetimeTracker()
        let subject = ReplaySubject<LifetimeTracker.Tracked>.create(bufferSize: 3)
        (0..<10).forEach { subject.onNext(tracker.make($0)) }
        withExtendedLifetime(subject) { #expect(tracker.live == 3) }
    }

    @Test func trapsOnANegativeBufferSize() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ReplaySubject<Int>.create(bufferSize: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("bufferSize can't be negative"))
    }

    @Test func hasObserversReflectsSubscriptions() {
        #expect(!subject.hasObservers)
        let subscription = subject.subscribe()
        #expect(subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }
}
