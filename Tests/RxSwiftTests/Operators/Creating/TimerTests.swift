import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct TimerTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func intervalCountsOncePerPeriod() {
        let observer = scheduler.start { Observable<Int>.interval(.seconds(300), scheduler: scheduler) }
        #expect(observer.marble == "500:0 800:1")
    }

    @Test func timerSendsOneElement() {
        #expect(scheduler.start { Observable<Int>.timer(.seconds(30), scheduler: scheduler) }.marble == "230:0 230|")
    }

    @Test func timerWithAPeriodGoesOn() {
        let observer = scheduler.start {
            Observable<Int>.timer(.seconds(30), period: .seconds(100), scheduler: scheduler).take(3)
        }
        #expect(observer.marble == "230:0 330:1 430:2 430|")
    }

    @Test func disposingEndsIt() {
        let observer = scheduler.start(disposed: 450) { Observable<Int>.interval(.seconds(100), scheduler: scheduler) }
        #expect(observer.marble == "300:0 400:1")
    }

    @Test func freesWhatIsBelowWithTheSubscription() {
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
        scheduler.start()
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
