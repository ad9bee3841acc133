import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct BufferWithTriggerTests {
    private func buffering(_ source: String, _ trigger: String) -> Outcome<[Int]> {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot(source)
        let trigger = scheduler.hot(trigger)
        let observer = scheduler.start { source.bufferWithTrigger(trigger) }
        return Outcome(observer, source, trigger)
    }

    @Test func triggerSendsBufferedElements() {
        buffering("--1-2---3", "------0---0-0")
            .expect("------a---b-c", values: ["a": [1, 2], "b": [3], "c": []], subscribed: "^{799}!", "^{799}!")
    }

    @Test func completionSendsRemainingElements() {
        buffering("--1-2---|", "---0")
            .expect("---a----(b|)", values: ["a": [1], "b": [2]], subscribed: "^-------!", "^-------!")
    }

    @Test func anErrorDropsTheRest() {
        buffering("--1-#", "------0").expect("----#", subscribed: "^---!", "^---!")
    }

    @Test func triggerCompletionEndsNothing() {
        buffering("--1---2-|", "----|").expect("--------(a|)", values: ["a": [1, 2]], subscribed: "^-------!", "^---!")
    }

    @Test func errorOfTriggerReachesHook() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Hooks.defaultErrorHandler = { _, error in log("unhandled \(error)") }
            let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Void>())
            let subscription = source.bufferWithTrigger(trigger).note(in: log)
            trigger.onError(TestError.a)
            source.onNext(1)
            source.onCompleted()
            precondition(log.text == "unhandled a [1] completed", log.text)
            subscription.dispose()
        }
    }

    @Test func theTriggerIsSubscribedFirstAndDisposedLast() {
        let log = Log()
        let source = PublishSubject<Int>().noteLifetime(in: log, as: "s")
        let trigger = PublishSubject<Int>().noteLifetime(in: log, as: "t")
        source.bufferWithTrigger(trigger).subscribe().dispose()
        #expect(log.text == "t+ s+ s- t-")
    }

    @Test func elementPushedInDeliveryIsInNextArray() {
        let log = Log()
        let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Void>())
        let subscription = source.bufferWithTrigger(trigger).do(onNext: { if $0 == [1] { source.onNext(2) } }).note(
            in: log)
        source.onNext(1)
        trigger.onNext(())
        trigger.onNext(())
        #expect(log.text == "[1] [2]")
        subscription.dispose()
    }

    @Test func eachSubscriptionCollectsOnItsOwn() {
        let source = Observable.of(1, 2)
        let buffered = source.bufferWithTrigger(Observable<Int>.never())
        #expect(seen(buffered) == "[1, 2] completed")
        #expect(seen(buffered) == "[1, 2] completed")
    }

    @Test func noElementIsLostInARace() throws {
        for _ in 0..<50 {
            let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Void>())
            // `seen` has no lock, so that ThreadSanitizer reports deliveries on two threads at once.
            nonisolated(unsafe) var seen: [Int] = []
            let subscription = source.bufferWithTrigger(trigger).subscribe(onNext: { seen += $0 })
            try runConcurrently(threads: 2) { thread in
                for element in 0..<300 { thread == 0 ? source.onNext(element) : trigger.onNext(()) }
            }
            source.onCompleted()
            #expect(seen == Array(0..<300))
            subscription.dispose()
        }
    }

    @Test func bufferDueDuringPauseArrivesAfterSourceAndTriggerEnded() {
        let (scheduler, log, trigger) = (TestScheduler(initialClock: 0), Log(), PublishSubject<Void>())
        let valve = TestValve(on: scheduler)
        var source: PublishSubject<Int>? = PublishSubject()
        let subscription = valve.above(source!.bufferWithTrigger(trigger)).note(in: log)
        valve.set(isPaused: true)
        source?.onNext(1)
        trigger.onNext(())
        trigger.onCompleted()
        source = nil
        #expect(log.text == "")
        valve.set(isPaused: false)
        scheduler.start()
        #expect(log.text == "[1]")
        subscription.dispose()
    }

    /// The trigger's element waits until the observer returns. By then, the observer has paused the chain and disposed
    /// of it.
    @Test func triggerHandledAfterDisposalInPauseKeepsNothing() throws {
        let (tracker, log) = (LifetimeTracker(), Log())
        let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Void>())
        let (valve, subscription) = (TestValve(on: TestScheduler(initialClock: 0)), SerialDisposable())
        subscription.disposable = valve.above(source.bufferWithTrigger(trigger)).subscribe(
            onNext: { [captured = tracker.make()] element in
                withExtendedLifetime(captured) { log(element) }
                _ = try? runOnThread { trigger.onNext(()) }
                valve.set(isPaused: true)
                subscription.dispose()
            })
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "[1]")
        #expect(tracker.live == 0)
    }
}
