import Dispatch
import RxSwift
import RxTest
import Testing

/// Expects no timeout while the source is paused. The source stays paused until the end of the scheduler's current job.
///
/// - Parameter timed: the source, with a timeout of four seconds between two elements.
package func expectNoTimeoutBehindATurn(_ timed: (Observable<Int>, TestScheduler) -> Observable<Int>) {
    let (scheduler, below) = (
        TestScheduler(initialClock: 0), SerialDispatchQueueScheduler(internalSerialQueueName: "below")
    )
    let (subscribed, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Log()
    _ = below.schedule(()) {
        subscribed.wait()
        return Disposables.create()
    }
    let subscription = timed(.range(start: 0, count: 40), scheduler)
        .observe(on: below)
        .bounded(16)
        .subscribe(
            onNext: { number in
                // Less than a quarter of the 16 elements is left, so the source may resume after the current job.
                if (13..<16).contains(number) { scheduler.advanceTo(scheduler.clock + 5) }
                if number == 39 { log("all") }
            },
            onError: {
                log($0)
                done.signal()
            },
            onCompleted: { done.signal() })
    subscribed.signal()
    done.wait()
    #expect(log.text == "all")
    subscription.dispose()
}
