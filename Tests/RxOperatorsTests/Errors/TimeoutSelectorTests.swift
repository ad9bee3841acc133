import RxOperators
import RxTest
import TestSupport
import Testing

struct TimeoutSelectorTests {
    private func timing(_ source: String, first: Int? = nil) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let timer = { @Sendable (seconds: Int) in Observable<Int>.timer(.seconds(seconds), scheduler: scheduler) }
        return outcome(source, on: scheduler) {
            $0.timeout(first: first.map { timer($0) }, selector: { timer($0 * 10) })
        }
    }

    @Test func timeoutSelectorNoElementInTimeFails() {
        timing("{5}1{30}2").expect("{5}1{9}#", error: RxError.timeout, subscribed: "^{14}!")
        timing("{5}1{5}3{25}1{30}").expect("{5}1{5}3{25}1{9}#", error: RxError.timeout, subscribed: "^{46}!")
    }

    @Test func timeoutSelectorElementsInTimePasses() {
        timing("{5}1{5}1{5}2{15}|").expect("{5}1{5}1{5}2{15}|", subscribed: "^{32}!")
        timing("{5}1{5}#").expect("{5}1{5}#", subscribed: "^{10}!")
    }

    @Test func timeoutSelectorNoFirstTriggerWaitsForTheFirstElement() {
        timing("{500}1{5}|").expect("{500}1{5}|", subscribed: "^{505}!")
    }

    @Test func timeoutSelectorFirstTriggerFiresFails() {
        timing("{50}1{5}|", first: 20).expect("{20}#", error: RxError.timeout, subscribed: "^{19}!")
        timing("{10}1{5}|", first: 20).expect("{10}1{5}|", subscribed: "^{15}!")
    }

    @Test func timeoutSelectorTriggerCompletesFails() {
        outcome("{5}1") { $0.timeout(selector: { _ in Observable<Int>.empty() }) }
            .expect("{5}(1#)", error: RxError.timeout, subscribed: "^{4}!")
    }

    @Test func timeoutSelectorTriggerFailsPassesTheErrorOn() {
        outcome("{5}1") { $0.timeout(selector: { _ in Observable<Int>.error(TestError.b) }) }
            .expect("{5}(1#)", error: TestError.b, subscribed: "^{4}!")
    }

    @Test func timeoutSelectorSelectorThrowsFails() {
        outcome("-1-2") {
            $0.timeout(selector: { try passing($0, unless: 2, Observable<Int>.never()) })
        }
        .expect("-1-(2#)", error: TestError.b, subscribed: "^--!")
    }

    @Test func timeoutSelectorObserverPushesElementWatchesOnlyForTheNewest() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let selected = Log()
        let subscription = source.timeout(selector: { element in
            selected(element)
            return element == 1 ? first : second
        })
        .do(onNext: { if $0 == 1 { source.onNext(2) } })
        .note(in: log)
        source.onNext(1)
        #expect(!first.hasObservers)
        #expect(second.hasObservers)
        second.onNext(0)
        subscription.dispose()
        #expect(selected.text == "2")
        #expect(log.text == "2 1 error(\(RxError.timeout))")
    }

    @Test func timeoutSelectorTriggerMakesSourceSendDisposesOfThatTrigger() {
        let (source, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let first = Observable<Int>.create { _ in
            source.onNext(2)
            return Disposables.create { log("disposed") }
        }
        let subscription = source.timeout(selector: { $0 == 1 ? first : second.asObservable() }).note(in: log)
        source.onNext(1)
        #expect(log.text == "1 2 disposed")
        #expect(second.hasObservers)
        subscription.dispose()
    }

    @Test func timeoutSelectorEndedDisposesOfTheTrigger() {
        let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = source.timeout(selector: { _ in trigger }).subscribe()
        source.onNext(1)
        #expect(trigger.hasObservers)
        source.onCompleted()
        #expect(!trigger.hasObservers)
        subscription.dispose()
    }

    @Test func timeoutSelectorDisposedDisposesOfBoth() {
        let (source, trigger) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = source.timeout(first: trigger, selector: { _ in trigger }).subscribe()
        #expect(trigger.hasObservers)
        subscription.dispose()
        #expect(!source.hasObservers)
        #expect(!trigger.hasObservers)
    }

    @Test func timeoutSelectorPausedStartsTheWholeTimeAgainAtTheResume() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createPausableObservable("{5}1", of: Int.self)
        let observer = scheduler.start {
            source.timeout(selector: { _ in Observable<Int>.timer(.seconds(10), scheduler: scheduler) }).paused(
                by: "{8}p{30}r", on: scheduler)
        }
        // The sequence resumes at 39, so the ten seconds end at 49.
        observer.expect("{5}1{43}#", error: RxError.timeout)
    }
}
