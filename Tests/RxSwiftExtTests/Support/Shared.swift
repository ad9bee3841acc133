import RxCocoa
import RxTest
import TestSupport

/// The events of a driver or signal made from a hot source, in virtual time. The sharing scheduler uses the same clock.
/// On it, an action scheduled for now runs one tick later. The sequence is subscribed to at 200 and disposed of at
/// 1000, as in `outcome`.
func shared<Strategy: SharingStrategyProtocol, Element>(
    _ marbles: String, _ apply: @escaping (TestableObservable<Int>) -> SharedSequence<Strategy, Element>
) -> TestableObserver<Element> {
    let time = TestScheduler(initialClock: 0)
    let source = time.hot(marbles)
    var observer: TestableObserver<Element>!
    SharingScheduler.mock(scheduler: time) {
        observer = time.start { apply(source).asObservable() }
    }
    return observer
}
