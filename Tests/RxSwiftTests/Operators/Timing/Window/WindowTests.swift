import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct WindowTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: TestableObservable<Int>, count: Int, disposed: TestTime = 1_000) -> String {
        let (log, scheduler) = (Log(), scheduler)
        @Sendable func note(_ text: String) { log("\(text)@\(scheduler.clock)") }
        nonisolated(unsafe) var windows = 0
        var subscription: (any Disposable)?
        scheduler.scheduleAt(200) {
            subscription = source.window(timeSpan: .seconds(30), count: count, scheduler: scheduler).subscribe(
                onNext: { window in
                    windows += 1
                    let name = "w\(windows)"
                    note(name)
                    _ = window.subscribe(
                        onNext: { note("\(name):\($0)") }, onError: { _ in note("\(name)!") },
                        onCompleted: { note("\(name)|") })
                }, onError: { _ in note("!") }, onCompleted: { note("|") })
        }
        scheduler.scheduleAt(disposed) { subscription?.dispose() }
        scheduler.start()
        return log.text
    }

    @Test func aWindowEndsWithItsTimeOrItsCount() {
        let source = scheduler.hot("{10}1{9}2----3{34}4----|")
        #expect(
            result(source, count: 2)
                == "w1@200 w1:1@210 w1:2@220 w1|@220 w2@220 w2:3@225 w2|@250 w3@250 w3:4@260 w3|@265 |@265")
    }

    @Test func countOfZeroEndsNoWindow() {
        #expect(
            result(scheduler.hot("{10}1{9}2----|"), count: 0)
                == "w1@200 w1:1@210 w1:2@220 w1|@225 |@225")
    }

    @Test func anErrorEndsTheOpenWindowFirst() {
        #expect(
            result(scheduler.hot("{10}1{29}2----#"), count: 9)
                == "w1@200 w1:1@210 w1|@230 w2@230 w2:2@240 w2!@245 !@245")
    }

    @Test func observedWindowContinuesAfterDisposalUntilItsEnd() {
        let source = scheduler.hot("{10}1{29}2{9}3{19}4")
        #expect(result(source, count: 9, disposed: 235) == "w1@200 w1:1@210 w1|@230 w2@230 w2:2@240 w2:3@250 w2|@260")
        source.expectSubscriptions("^{59}!")
    }

    @Test func windowEndsAfterSpanAlthoughOuterSequenceEnded() {
        let source = scheduler.hot("-1-2{20}3")
        scheduler.start {
            source.window(timeSpan: .seconds(10), count: 9, scheduler: scheduler).take(1).merge()
        }
        .expect("-1-2------|")
    }

    @Test func spanEndingDuringReplacementEndsNoOtherWindow() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        nonisolated(unsafe) var windows = 0
        let subscription = source.window(timeSpan: .seconds(5), count: 1, scheduler: scheduler).subscribe(
            onNext: { _ in
                windows += 1
                log("w\(windows)@\(scheduler.clock)")
                if windows == 2 { scheduler.advanceTo(6) }
            })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.advanceTo(11)
        #expect(log.text == "w1@0 w2@0 w3@11")
    }

    @Test func windowFilledByObserverKeepsNextSpan() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        nonisolated(unsafe) var windows = 0
        let subscription = source.window(timeSpan: .seconds(5), count: 1, scheduler: scheduler).subscribe(
            onNext: { _ in
                windows += 1
                log("w\(windows)@\(scheduler.clock)")
                if windows == 2 {
                    source.onNext(2)
                    scheduler.sleep(3)
                }
            })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.advanceTo(7)
        #expect(log.text == "w1@0 w2@0 w3@0 w4@5")
    }

    @Test func windowEndThatFillsNextWindowReplacesItOnce() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        nonisolated(unsafe) var windows = 0
        let subscription = source.window(timeSpan: .seconds(30), count: 1, scheduler: scheduler).subscribe(
            onNext: { window in
                windows += 1
                let name = "w\(windows)"
                log(name)
                _ = window.subscribe(onCompleted: {
                    log("\(name)|")
                    if name == "w1" { source.onNext(2) }
                })
            })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "w1 w1| w2 w2|")
    }

    @Test func aDisposalWithNoWindowObservedCallsTheTimerOff() {
        let source = PublishSubject<Int>()
        let subscription = source.window(timeSpan: .seconds(30), count: 9, scheduler: scheduler).subscribe()
        #expect(scheduler.debugDescription != "[]")
        subscription.dispose()
        #expect(scheduler.debugDescription == "[]")
    }

    @Test func aDisposalWithNoWindowObservedReachesTheSource() {
        let source = scheduler.hot("{10}1")
        let observer = scheduler.start(disposed: 215) {
            source.window(timeSpan: .seconds(30), count: 9, scheduler: scheduler).map { _ in 0 }
        }
        observer.expect("0")
        source.expectSubscriptions("^{14}!")
    }

    @Test func endDisposesSourceWhileAWindowIsHeld() {
        let (source, other, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        nonisolated(unsafe) var kept: (any Disposable)?
        let subscription = source.noteLifetime(in: log, as: "source")
            .window(timeSpan: .seconds(30), count: 9, scheduler: scheduler)
            .subscribe(onNext: { window in
                // This thread is delivering, so the other thread only enqueues the end.
                kept = Observable.merge(window, other).subscribe(onNext: { _ in
                    _ = try? runOnThread { source.onCompleted() }
                    log("delivered")
                })
            })
        subscription.dispose()
        other.onNext(1)
        #expect(log.text == "source+ source- delivered")
        kept?.dispose()
    }
}
