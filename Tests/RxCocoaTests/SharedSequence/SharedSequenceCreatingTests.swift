import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceCreatingTests {
    @Test func elementsAreGiven() {
        shared("") { _ in Driver.of(1, 2) }.expect("-12|")
        shared("") { _ in Driver.from([1, 2]) }.expect("-12|")
        shared("") { _ in Signal.from(AnySequence([1, 2])) }.expect("-12|")
        shared("") { _ in Signal.just(1) }.expect("-(1|)")
        shared("") { _ in Driver.from(optional: 1) }.expect("-1|")
        shared("") { _ in Driver<Int>.from(optional: nil) }.expect("-|")
    }

    @Test func emptyAndNeverSendNoElements() {
        shared("") { _ in Driver<Int>.empty() }.expect("-|")
        shared("") { _ in Driver<Int>.never() }.expect("")
    }

    @Test func eachObserverOfGivenElementsReceivesAll() {
        let given = { Driver.of(1, 2) }
        #expect(
            elements {
                let driver = given()
                return Driver.concat([driver, driver])
            } == "1 2 1 2 completed")
    }

    @Test func deferredIsMadeForTheFirstObserverAndSharedByTheNext() {
        let log = Log()
        let outcome = elements {
            let deferred = Driver<Int>.deferred {
                log("made")
                return .just(1)
            }
            return Driver.merge(deferred, deferred)
        }
        #expect(outcome == "1 1 completed")
        #expect(log.text == "made")
    }

    @Test func oneTimerServesAllObservers() {
        let (time, log) = (TestScheduler(initialClock: 0), Log())
        let ticks = SharingScheduler.mocked(time) { Driver<Int>.interval(.seconds(10)) }
        let first = ticks.drive(onNext: { log("first\($0)") })
        time.advanceTo(15)
        let second = ticks.drive(onNext: { log("second\($0)") })
        time.advanceTo(25)
        #expect(log.text == "first0 second0 first1 second1")
        [first, second].forEach { $0.dispose() }
        time.advanceTo(100)
        #expect(log.text == "first0 second0 first1 second1")
    }

    @Test func timerIsSharedByObservers() {
        let (time, log) = (TestScheduler(initialClock: 0), Log())
        SharingScheduler.mock(scheduler: time) {
            let ticks = Driver<Int>.timer(.seconds(10), period: .seconds(10)).asObservable()
            let first = ticks.note(in: log, as: "a")
            time.advanceTo(25)
            let second = ticks.note(in: log, as: "b")
            time.advanceTo(35)
            #expect(log.text == "a0 a1 b1 a2 b2")
            first.dispose()
            second.dispose()
        }
    }

    @Test func timerDueTimeMayDifferFromPeriod() {
        shared("") { _ in Signal<Int>.timer(.seconds(5), period: .seconds(300)) }.expect("-----0{299}1{299}2")
    }
}
