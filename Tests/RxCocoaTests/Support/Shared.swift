import RxCocoa
import RxTest
import TestSupport

/// The events of a shared sequence in virtual time. The sharing scheduler uses the same clock. If an action is due now,
/// the scheduler runs it one tick later. As in `outcome`, the subscription begins at 200 and is disposed of at 1000.
func shared<Strategy: SharingStrategyProtocol, Element>(
    _ marbles: String, _ apply: @escaping (TestableObservable<Int>) -> SharedSequence<Strategy, Element>
) -> Outcome<Element> {
    let time = TestScheduler(initialClock: 0)
    let source = time.hot(marbles)
    return Outcome(SharingScheduler.mocked(time) { time.start { apply(source).asObservable() } }, source)
}

/// The events without their times: `"1 2 completed"`.
func elements<Strategy: SharingStrategyProtocol, Element>(_ make: () -> SharedSequence<Strategy, Element>) -> String {
    let time = TestScheduler(initialClock: 0)
    let log = Log()
    SharingScheduler.mock(scheduler: time) {
        let subscription = make().asObservable().note(in: log)
        time.advanceTo(1000)
        subscription.dispose()
    }
    return log.text
}

extension SharingScheduler {
    static func mocked<Result>(_ scheduler: any SchedulerType, _ body: () throws -> Result) rethrows -> Result {
        var result: Result?
        try mock(scheduler: scheduler) { result = try body() }
        return result!
    }
}
