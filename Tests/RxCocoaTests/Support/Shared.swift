import RxCocoa
import RxTest
import TestSupport

/// A shared sequence's events in virtual time. The sharing scheduler uses the same clock. On it, an action scheduled
/// for now runs one tick later. The sequence is subscribed to at 200 and disposed of at 1000, as in `outcome`.
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
