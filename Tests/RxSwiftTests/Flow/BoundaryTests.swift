import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct BoundaryTests {
    /// Of what has come into a boundary, how much has not left it.
    private struct Depth {
        var sent = 0
        var received = 0
        var most = 0

        mutating func send() {
            sent += 1
            most = max(most, sent - received)
        }
    }

    @Test(arguments: [1, 2, 3, 16, 256]) func aColdSourceWaitsForRoom(bound: Int) {
        let (depth, done) = (Guarded(Depth()), DispatchSemaphore(value: 0))
        let subscription = Observable.range(start: 0, count: 20_000)
            .do(onNext: { _ in depth.withLock { $0.send() } })
            .observe(on: PthreadScheduler(name: "below"), buffering: .pausing(bound))
            .subscribe(
                onNext: { _ in depth.withLock { $0.received += 1 } }, onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(depth.withLock { $0.received } == 20_000)
        // One more has been counted by `do`, and not yet by the ring, when the next turn begins.
        #expect(depth.withLock { $0.most } <= bound)
        subscription.dispose()
    }

    @Test(arguments: [1, 2, 3, 16]) func virtualTimePassesAsWithoutABound(bound: Int) {
        func record(_ bound: Int?) -> String {
            let scheduler = TestScheduler(initialClock: 0)
            let observer = scheduler.start { () -> Observable<Int> in
                let chain = Observable.range(start: 0, count: 9).observe(on: scheduler).map { $0 * 2 }
                return bound.map { chain.bounded($0) } ?? chain
            }
            return "\(observer.events)"
        }
        #expect(record(bound) == record(nil))
    }

    @Test func aSubjectOverflowsBehindWhatWaits() {
        let (scheduler, subject, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
        let subscription = subject.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        #expect(!subject.hasObservers)
        scheduler.start()
        #expect(log.text.hasPrefix("1 2 "))
        #expect(log.text.contains("observe(on:) is full: 2 elements wait, and"))
        subscription.dispose()
    }
}
