import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DebounceTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, _ span: Int) -> Outcome<Int> {
        outcome(source, on: scheduler) { [scheduler] in $0.debounce(.seconds(span), scheduler: scheduler) }
    }

    @Test func elementFollowedBySilenceIsSent() {
        result("{10}1{9}2{9}3{29}4{29}|", 20).expect("{50}3{29}4{9}|", subscribed: "^{89}!")
    }

    @Test func completionSendsWaitingElement() {
        result("{10}1----2----|", 20).expect("{20}(2|)", subscribed: "^{19}!")
    }

    @Test func errorDropsWaitingElement() {
        result("{10}1----2----#", 20).expect("{20}#", subscribed: "^{19}!")
    }

    @Test func zeroSpanLastsOneTurnOfScheduler() {
        result("{10}12{8}3{9}|", 0).expect("{12}2{8}3{8}|", subscribed: "^{29}!")
    }

    @Test func completionAfterDisposalDuringLastElementIsSuppressed() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) var subscription: (any Disposable)?
        subscription = source.debounce(.seconds(1), scheduler: scheduler).subscribe(
            onNext: {
                log($0)
                subscription?.dispose()
            }, onCompleted: { log("completed") })
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "1")
    }

    @Test func elementDueDuringPauseArrivesAtResume() {
        let source = scheduler.hot("-1")
        let observer = scheduler.start {
            source.debounce(.seconds(2), scheduler: scheduler).paused(by: "--p---r", on: scheduler)
        }
        observer.expect("------1")
    }

    @Test func elementReplacingDueOneStartsItsOwnSpan() {
        let source = scheduler.hot("-1--2")
        scheduler.start { source.debounce(.seconds(2), scheduler: scheduler).paused(by: "--p--r", on: scheduler) }
            .expect("------2")
    }

    @Test func completionDuringPauseSendsDueElementAtOnce() {
        let source = scheduler.hot("-1---|")
        scheduler.start { source.debounce(.seconds(2), scheduler: scheduler).paused(by: "--p----r", on: scheduler) }
            .expect("-----(1|)")
    }

    @Test func pauseDoesNotReachSource() {
        let source = scheduler.createPausableObservable("-1-2", of: Int.self)
        let observer = scheduler.start {
            source.debounce(.seconds(2), scheduler: scheduler).paused(by: "--p---r", on: scheduler)
        }
        observer.expect("------2")
        source.expectSignals("")
    }

    @Test func waitingElementIsFreedAtDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.debounce(.seconds(5), scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func replacedElementMayPushFromItsDeinit() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.debounce(.seconds(5), scheduler: scheduler).map(\.value).subscribe(observer)
        defer { subscription.dispose() }
        source.onNext(tracker.make(1, onDeinit: { source.onNext(tracker.make(3)) }))
        source.onNext(tracker.make(2))
        scheduler.start()
        observer.expect("-----3", from: 0)
    }

    @Test func realSchedulerSendsOnlyLastOfABurst() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "debounce")
        let (source, log, done) = (PublishSubject<Int>(), Log(), DispatchSemaphore(value: 0))
        let subscription = source.debounce(.milliseconds(40), scheduler: scheduler).subscribe(onNext: {
            log($0)
            // If the machine pauses during the burst, another element may be sent first.
            if $0 == 10_000 || $0 == 0 { done.signal() }
        })
        defer { subscription.dispose() }
        for element in 1...10_000 { source.onNext(element) }
        #expect(done.wait(timeout: .now() + 20) == .success)
        source.onNext(0)
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(log.entries.suffix(2) == ["10000", "0"])
    }
}
