import RxSwift
import RxTest
import TestSupport
import Testing

struct PausableObservableTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func itWaitsWhileItIsPaused() {
        let source = scheduler.createPausableObservable("-1-2-3-4|", of: Int.self)
        let observer = scheduler.start { source.paused(by: "--p---r", on: scheduler) }
        observer.expect("-1----(23)4|")
        source.expectSignals("--p---r")
    }

    @Test func aLinearOperatorIsTheSameChain() {
        let source = scheduler.createPausableObservable("-1-2-3|", of: Int.self)
        let observer = scheduler.start { source.map { $0 + 1 }.paused(by: "--p--r", on: scheduler) }
        observer.expect("-2---(34)|")
        source.expectSignals("--p--r")
    }

    @Test func nonPausableSourceSendsDuringPause() {
        let source = scheduler.createHotObservable("-1-2|", of: Int.self)
        let observer = scheduler.start { source.paused(by: "p---r", on: scheduler) }
        observer.expect("-1-2|")
    }

    @Test(arguments: Joint.all) func allSourcesArePausedWithTheChainBelow(joint: Joint) {
        let sources = (0..<2).map { _ in scheduler.createPausableObservable("-1-2-3-|", of: Int.self) }
        _ = scheduler.start { joint.join(sources.map { $0.asObservable() }).paused(by: "--p-r", on: scheduler) }
        sources[0].expectSignals("--p-r")
        sources[1].expectSignals(joint.pausesSecond ? "--p-r" : "")
    }

    @Test func innerSourceAddedDuringPauseIsPaused() {
        let inner = scheduler.createPausableObservable("1|", of: Int.self)
        let outer = scheduler.createHotObservable("---1|", of: Int.self)
        let observer = scheduler.start {
            outer.flatMap { _ in inner.asObservable() }.paused(by: "-p----r", on: scheduler)
        }
        inner.expectSignals("---p--r")
        #expect(observer.events.first?.time == 206)
    }

    @Test func pauseDuringReplayOfWaitingElementsApplies() {
        let source = scheduler.createPausableObservable("-(123)|", of: Int.self)
        nonisolated(unsafe) var (waiting, most) = (0, 0)
        let observer = scheduler.start {
            source.asObservable()
                .do(onNext: { _ in
                    waiting += 1
                    most = max(most, waiting)
                })
                .observe(on: scheduler, buffering: .pausing(1))
                .do(onNext: { _ in waiting -= 1 })
        }
        #expect(observer.events.map { "\($0.value)" } == ["next(1)", "next(2)", "next(3)", "completed"])
        #expect(most == 1)
    }

    @Test func pausesCountFromGivenTime() {
        let source = scheduler.createPausableObservable("-1-2-3|", of: Int.self)
        let observer = scheduler.start { source.paused(by: "{202}p--r", on: scheduler, from: 0) }
        observer.expect("-1---(23)|")
        source.expectSignals("{202}p--r", from: 0)
    }

    @Test func signalsAtOtherTimesAreAFailure() {
        let source = scheduler.createPausableObservable("-1-2|", of: Int.self)
        _ = scheduler.start { source.paused(by: "--p-r", on: scheduler) }
        #expect(
            report { source.expectSignals("--p--r") }
                == "expected pause at 202, resume at 205, got pause at 202, resume at 204")
        #expect(report { source.expectSignals("") } == "expected no signal, got pause at 202, resume at 204")
    }

    @Test func pausableObservableSendsValuesAndErrorOfItsString() {
        let source = scheduler.createPausableObservable("-a#", values: ["a": 7], error: TestError.a)
        #expect(source.recordedEvents == [.next(1, 7), .error(2, TestError.a)])
    }

    @Test func signalsEndOnDisposalDuringPause() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        _ = scheduler.start("^---!") { source.paused(by: "--p---r", on: scheduler) }
        source.expectSignals("--p")
    }

    struct Joint: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pausesSecond: Bool
        let join: @Sendable ([Observable<Int>]) -> Observable<Int>

        static let all = [
            Joint(testDescription: "merge", pausesSecond: true) { .merge($0) },
            Joint(testDescription: "combineLatest", pausesSecond: true) { .combineLatest($0) { $0[0] } },
            Joint(testDescription: "zip", pausesSecond: true) { .zip($0) { $0[0] } },
            Joint(testDescription: "withLatestFrom", pausesSecond: false) { $0[0].withLatestFrom($0[1]) },
            Joint(testDescription: "skip(until:)", pausesSecond: false) { $0[0].skip(until: $0[1].skip(2)) },
        ]
    }
}
