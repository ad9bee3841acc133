import TestSupport
import Testing

@testable import RxSwift

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct TimedCoordinatorTests {
    private typealias Operator = @Sendable (Observable<Int>, any SchedulerType) -> Observable<Int>

    private static let operators: [Operator] = [
        { $0.timeout(.seconds(5), scheduler: $1) },
        { $0.buffer(timeSpan: .seconds(5), count: 1, scheduler: $1).map(\.count) },
    ]

    @Test(arguments: 0..<2) func timerAfterDisposalInDeliveryIsNotSet(index: Int) {
        let (source, scheduler, subscription) = (PublishSubject<Int>(), Asked(), SerialDisposable())
        subscription.disposable = Self.operators[index](source, scheduler).subscribe(onNext: { _ in
            subscription.dispose()
        })
        let before = scheduler.asked
        source.onNext(1)
        #expect(scheduler.asked == before)
    }

    @Test func replacedTimerRunByItsSchedulerDoesNothing() {
        let (source, scheduler, log) = (PublishSubject<Int>(), Kept(), Log())
        let subscription = source.debounce(.seconds(5), scheduler: scheduler).note(in: log)
        source.onNext(1)
        source.onNext(2)
        scheduler.run(0)
        #expect(log.text == "")
        scheduler.run(1)
        #expect(log.text == "2")
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockElementSetsNoTimer() {
        let (source, scheduler) = (PublishSubject<Int>(), KeptMonotonic())
        let subscription = source.timeout(.seconds(1_000), scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(number) }
        #expect(scheduler.asked == 1)
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockEarlyTimerIsSetToTheRest() throws {
        let (source, scheduler) = (PublishSubject<Int>(), KeptMonotonic())
        let subscription = source.debounce(.seconds(500), scheduler: scheduler).subscribe()
        for number in 0..<2 { source.onNext(number) }
        scheduler.run(0)
        try #require(scheduler.asked == 2)
        // The timer is due 500 s after the second element. On a busy machine, up to 100 s may have passed.
        #expect((400_000_000_000...500_000_000_000).contains(scheduler.dueTimes[1].nanosecondsInInt))
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockTimerDuringDeliveryIsNotATimeout() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) let scheduler = KeptMonotonic()
        let subscription = source.timeout(.nanoseconds(0), scheduler: scheduler).subscribe(
            onNext: {
                log($0)
                scheduler.run(0)
            }, onError: { log($0) })
        source.onNext(1)
        #expect(log.text == "1")
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockCancelledTimerServesNextSpan() {
        let (source, scheduler, log) = (PublishSubject<Int>(), KeptMonotonic(), Log())
        let subscription = source.buffer(timeSpan: .nanoseconds(0), count: 1, scheduler: scheduler).note(in: log)
        source.onNext(1)
        scheduler.run(0)
        #expect(log.text == "[1] []")
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockInfiniteTimeoutSetsOneTimer() {
        let (source, scheduler) = (PublishSubject<Int>(), KeptMonotonic())
        let subscription = source.timeout(.never, scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(number) }
        #expect(scheduler.asked == 1)
        subscription.dispose()
        scheduler.forget()
    }

    @Test func monotonicClockDelayDeliversAllDueElementsInOneTurn() {
        let (source, scheduler, log) = (PublishSubject<Int>(), KeptMonotonic(), Log())
        let subscription = source.delay(.nanoseconds(0), scheduler: scheduler).note(in: log)
        for number in 0..<3 { source.onNext(number) }
        scheduler.run(0)
        #expect(log.text == "0 1 2" && scheduler.asked == 1)
        subscription.dispose()
        scheduler.forget()
    }
}

private final class Asked: SchedulerType {
    private(set) var asked = 0
    let now = Date()

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        asked += 1
        return Disposables.create()
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        schedule(state, action: action)
    }
}

/// Stores all actions, even disposed ones, until `forget`.
private class Kept: SchedulerType {
    private var actions: [() -> Void] = []
    private(set) final var dueTimes: [RxTimeInterval] = []
    let now = Date()

    final var asked: Int { actions.count }

    final func run(_ number: Int) {
        let action = actions[number]
        action()
    }

    /// Releases the actions. They retain the operators, and these retain the scheduler.
    final func forget() {
        let forgotten = actions
        actions = []
        withExtendedLifetime(forgotten) {}
    }

    final func schedule<StateType>(
        _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        actions.append { _ = action(state) }
        return Disposables.create()
    }

    final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        dueTimes.append(dueTime)
        return schedule(state, action: action)
    }
}

private final class KeptMonotonic: Kept, MonotonicScheduler {}
