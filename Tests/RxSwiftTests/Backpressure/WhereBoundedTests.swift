@_spi(RxServer) import RxSwift
import RxTest
import TestSupport
import Testing

struct WhereBoundedTests {
    /// Numbers that show which of the two variants sent them.
    private let numbers = Observable.of(1, 2, 3).map { "\($0)" }.whereBounded { $0.map { "\($0)!" } }

    @Test func unboundedSubscriberGetsOriginalSource() {
        let log = Log()
        numbers.note(in: log).dispose()
        #expect(log.text == "1 2 3 completed")
    }

    /// A boundary that drops elements never pauses its source.
    @Test(arguments: [(Buffering.pausing(2), "1! 2! 3! completed"), (.newest(2), "2 3 completed")])
    func pausingSubscriberGetsBoundedVariant(buffering: Buffering, expected: String) {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let subscription = numbers.observe(on: scheduler, buffering: buffering).note(in: log)
        scheduler.start()
        #expect(log.text == expected)
        subscription.dispose()
    }

    @Test func withinAnotherSequenceItIsBoundedAsThatOne() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let outer = Observable.just(0).flatMap { _ in numbers }
        outer.note(in: log).dispose()
        let subscription = outer.observe(on: scheduler, buffering: .pausing(8)).note(in: log)
        scheduler.start()
        #expect(log.text == "1 2 3 completed 1! 2! 3! completed")
        subscription.dispose()
    }
}
