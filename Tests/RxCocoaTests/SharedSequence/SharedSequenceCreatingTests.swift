import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceCreatingTests {
    @Test func elementsAreGiven() {
        #expect(shared("") { _ in Driver.of(1, 2) } == "201:1 202:2 203| ")
        #expect(shared("") { _ in Driver.from([1, 2]) } == "201:1 202:2 203| ")
        #expect(shared("") { _ in Signal.from(AnySequence([1, 2])) } == "201:1 202:2 203| ")
        #expect(shared("") { _ in Signal.just(1) } == "201:1 201| ")
        #expect(shared("") { _ in Driver.from(optional: 1) } == "201:1 202| ")
        #expect(shared("") { _ in Driver<Int>.from(optional: nil) } == "201| ")
    }

    @Test func thereMayBeNone() {
        #expect(shared("") { _ in Driver<Int>.empty() } == "201| ")
        #expect(shared("") { _ in Driver<Int>.never() } == " ")
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

    @Test func aTimerMayBeginSooner() {
        #expect(shared("") { _ in Signal<Int>.timer(.seconds(5), period: .seconds(300)) } == "205:0 505:1 805:2 ")
    }
}
