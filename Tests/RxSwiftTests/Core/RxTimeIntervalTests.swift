import Dispatch
import RxSwift
import RxTest
import Testing

@Suite struct RxTimeIntervalTests {
    @Test func secondsWithFractionIsSpanInNanoseconds() {
        let half: RxTimeInterval = .seconds(0.5)
        #expect(half == .milliseconds(500))
        let exact = 0.1 + 0.2
        #expect(RxTimeInterval.seconds(exact) == .milliseconds(300))
        #expect(RxTimeInterval.seconds(-1.5) == .milliseconds(-1_500))
    }

    @Test func secondsWithIntegerLiteralIsEnumCase() {
        let whole: RxTimeInterval = .seconds(5)
        guard case .seconds(5) = whole else {
            Issue.record("\(whole) is not the enum case")
            return
        }
        let count = 3
        guard case .seconds(7) = RxTimeInterval.seconds(count * 2 + 1) else {
            Issue.record("an integer expression is not the enum case")
            return
        }
        #expect([1, 2].map(RxTimeInterval.seconds) == [.seconds(1), .seconds(2)])
    }

    @Test(arguments: [1e10, .infinity, .greatestFiniteMagnitude]) func secondsAboveRangeIsNever(_ seconds: Double) {
        guard case .never = RxTimeInterval.seconds(seconds) else {
            Issue.record("\(seconds) seconds end")
            return
        }
        guard case .nanoseconds(.min) = RxTimeInterval.seconds(-seconds) else {
            Issue.record("-\(seconds) seconds are not in the past")
            return
        }
    }

    @Test func durationIsSpanRoundedUp() {
        #expect(RxTimeInterval(Duration.seconds(0.5)) == .milliseconds(500))
        #expect(RxTimeInterval(.milliseconds(-1_500)) == .milliseconds(-1_500))
        #expect(RxTimeInterval(Duration(secondsComponent: 0, attosecondsComponent: 1)) == .nanoseconds(1))
        #expect(
            RxTimeInterval(Duration(secondsComponent: 2, attosecondsComponent: 1_000_000_001))
                == .nanoseconds(2_000_000_002))
        #expect(RxTimeInterval(Duration(secondsComponent: 0, attosecondsComponent: -1)) == .nanoseconds(0))
    }

    @Test func durationOutOfRangeIsNeverOrMinimum() {
        guard case .never = RxTimeInterval(.seconds(10_000_000_000)) else {
            Issue.record("a duration of 317 years ends")
            return
        }
        guard case .nanoseconds(.min) = RxTimeInterval(.seconds(-10_000_000_000)) else {
            Issue.record("a duration of -317 years is not in the past")
            return
        }
        #expect(RxTimeInterval(.nanoseconds(Int64.max)) == .nanoseconds(.max))
    }

    @Test func delayOfFractionalSecondsDeliversAtThatTime() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let delayed = scheduler.createObserver(Int.self)
        _ = Observable.just(1).delay(.seconds(0.25), scheduler: scheduler).take(1).subscribe(delayed)
        let converted = scheduler.createObserver(Int.self)
        _ = Observable.just(2).delay(.init(.milliseconds(750)), scheduler: scheduler).take(1).subscribe(converted)
        scheduler.start()
        #expect(delayed.events.first == .next(250, 1))
        #expect(converted.events.first == .next(750, 2))
    }
}
