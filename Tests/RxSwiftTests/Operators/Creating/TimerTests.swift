import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct TimerTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func intervalCountsOncePerPeriod() {
        let observer = scheduler.start { Observable<Int>.interval(.seconds(300), scheduler: scheduler) }
        observer.expect("{300}0{299}1")
    }

    @Test func timerSendsOneElement() {
        scheduler.start { Observable<Int>.timer(.seconds(30), scheduler: scheduler) }.expect("{30}(0|)")
    }

    @Test func timerWithPeriodRepeats() {
        let observer = scheduler.start {
            Observable<Int>.timer(.seconds(30), period: .seconds(100), scheduler: scheduler).take(3)
        }
        observer.expect("{30}0{99}1{99}(2|)")
    }

    @Test func disposingEndsIt() {
        let observer = scheduler.start(disposed: 450) { Observable<Int>.interval(.seconds(100), scheduler: scheduler) }
        observer.expect("{100}0{99}1")
    }

    @Test func pausedItCountsOnAndSendsNothing() {
        let observer = scheduler.start(disposed: 209) {
            Observable<Int>.interval(.seconds(2), scheduler: scheduler).paused(by: "---p---r", on: scheduler)
        }
        observer.expect("--0-----3")
    }

    @Test func intervalCountWrapsToLeastNumber() {
        let observer = scheduler.start {
            Observable<Int8>.interval(.seconds(1), scheduler: scheduler).take(130)
        }
        #expect(observer.events.map(\.value).suffix(4) == [.next(127), .next(-128), .next(-127), .completed])
    }

    @Test func downstreamIsFreedWithTheSubscription() {
        let tracker = LifetimeTracker()
        func start(_ source: Observable<Int>) -> any Disposable {
            let tracked = tracker.make()
            return source.subscribe(onNext: { _ in _ = tracked })
        }
        let timers = [
            start(.interval(.seconds(10), scheduler: scheduler)), start(.timer(.seconds(10), scheduler: scheduler)),
        ]
        #expect(tracker.live == 2)
        for timer in timers { timer.dispose() }
        #expect(tracker.live == 0)
    }

    @Test func ticksAreSerialOnAConcurrentScheduler() throws {
        let seen = try runOnThread {
            let done = DispatchSemaphore(value: 0)
            let log = Log()
            let ticks = Observable<Int>.interval(
                .milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .userInitiated))
            let subscription = ticks.take(20).subscribe(onNext: { log($0) }, onCompleted: { done.signal() })
            defer { subscription.dispose() }
            _ = done.wait(timeout: .now() + 10)
            return log.entries
        }
        #expect(seen == (0..<20).map { "\($0)" })
    }
}
