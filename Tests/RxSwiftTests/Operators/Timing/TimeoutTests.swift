import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimeoutTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String) -> Outcome<Int> {
        outcome(source, on: scheduler) { [scheduler] in $0.timeout(.seconds(45), scheduler: scheduler) }
    }

    @Test(arguments: [
        ("", "{45}#", RxError.timeout as any Error, "^{44}!"),
        ("{10}1{39}2{99}4", "{10}1{39}2{44}#", RxError.timeout, "^{94}!"),
        ("{10}1{9}|", "{10}1{9}|", TestError.a, "^{19}!"),
        ("{10}1{9}#", "{10}1{9}#", TestError.a, "^{19}!"),
    ])
    func silenceBeyondTimeoutFails(source: String, expected: String, error: any Error, subscribed: String) {
        result(source).expect(expected, error: error, subscribed: subscribed)
    }

    @Test func otherSequenceReplacesSourceAtTimeout() {
        let source = scheduler.hot("{10}1{89}2")
        let other = scheduler.cold("{10}7{189}8{9}|")
        let observer = scheduler.start { source.timeout(.seconds(45), other: other, scheduler: scheduler) }
        observer.expect("{10}1{54}7{189}8{9}|")
        source.expectSubscriptions("^{54}!")
        other.expectSubscriptions("{55}^{209}!")
    }

    @Test func sourceIsIgnoredAndDisposedAfterOtherIsSubscribed() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let other = PublishSubject<Int>().do(onSubscribe: {
            log("other+")
            source.onNext(2)
        })
        let subscription = source.do(onDispose: { log("source-") }).timeout(
            .seconds(5), other: other, scheduler: scheduler
        )
        .subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "1 other+ source-")
    }

    @Test func spanEndingDuringDeliveryIsNotATimeout() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.timeout(.seconds(5), scheduler: scheduler).subscribe(
            onNext: { element in
                log(element)
                scheduler.advanceTo(6 * element)
            }, onError: { log("\($0)@\(scheduler.clock)") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        #expect(log.text == "1 2 Sequence timeout.@17")
    }

    @Test func theTimerIsSetBeforeTheSourceIsSubscribed() {
        let source = scheduler.cold("{45}1")
        scheduler.start { source.timeout(.seconds(45), scheduler: scheduler) }
            .expect("{45}#", error: RxError.timeout)
    }

    @Test func aSourceThatCompletesWhileTheOtherIsSubscribedEndsNothing() {
        let (source, other, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let successor = other.do(onSubscribe: { source.onCompleted() })
        let subscription = source.timeout(.seconds(5), other: successor, scheduler: scheduler).note(in: log)
        scheduler.start()
        other.onNext(1)
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test func resumeStartsWholeSpan() {
        let source = scheduler.hot("")
        let observer = scheduler.start {
            source.timeout(.seconds(5), scheduler: scheduler).paused(by: "--p-----r", on: scheduler)
        }
        observer.expect("{13}#", error: RxError.timeout)
    }

    @Test func aResumeAfterTheSwitchSetsNoTimer() {
        let other = scheduler.cold("-7")
        let observer = scheduler.start {
            Observable<Int>.never().timeout(.seconds(5), other: other, scheduler: scheduler)
                .paused(by: "-------p--r", on: scheduler)
        }
        observer.expect("------7")
    }

    @Test func timeoutDueDuringPauseIsSetAgainAtResume() {
        let observer = scheduler.start {
            Observable<Int>.never().timeout(.seconds(5), scheduler: scheduler).paused(by: "--p-----r", on: scheduler)
        }
        #expect(observer.events == [.error(213, RxError.timeout)])
    }

    @Test func afterADisposalTheTimerDoesNothing() {
        let source = scheduler.hot("")
        scheduler.start(disposed: 230) { source.timeout(.seconds(45), scheduler: scheduler) }.expect("")
        source.expectSubscriptions("^{29}!")
    }

    @Test func timeoutBelowDisposedSubscribeOnDoesNotSubscribeToOther() {
        let (other, lower) = (scheduler.cold("1"), TestScheduler(initialClock: 0))
        let subscription = Observable<Int>.never().timeout(.seconds(5), other: other, scheduler: scheduler)
            .subscribe(on: lower).subscribe()
        lower.start()
        subscription.dispose()
        scheduler.start()
        other.expectSubscriptions()
        lower.start()
    }

    @Test func theErrorOfTheOtherSequenceIsPassedOn() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let subscription = Observable<Int>.never()
            .timeout(.seconds(5), other: Observable.error(TestError.a), scheduler: scheduler).note(in: log)
        scheduler.start()
        #expect(log.text == "error(a)")
        subscription.dispose()
    }
}
