import RxCocoa
import RxTest
import TestSupport

/// The events of a driver or signal in virtual time. The sharing scheduler uses the same clock. If an action is due
/// now, the scheduler runs it one tick later. As in `outcome`, the subscription begins at 200 and is disposed of at
/// 1000.
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
