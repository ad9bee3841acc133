import RxSwift
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the operators with a timer ask of their scheduler.
@Suite struct TimedCoordinatorTests {
    private typealias Operator = @Sendable (Observable<Int>, any SchedulerType) -> Observable<Int>

    private static let operators: [Operator] = [
        { $0.timeout(.seconds(5), scheduler: $1) },
        { $0.buffer(timeSpan: .seconds(5), count: 1, scheduler: $1).map(\.count) },
    ]

    @Test(arguments: 0..<2) func aDisposalWithinADeliveryEndsTheAsking(index: Int) {
        let (source, scheduler, subscription) = (PublishSubject<Int>(), Asked(), SerialDisposable())
        subscription.disposable = Self.operators[index](source, scheduler).subscribe(onNext: { _ in
            subscription.dispose()
        })
        let before = scheduler.asked
        source.onNext(1)
        #expect(scheduler.asked == before)
    }
}

/// Counts what is asked of it, and runs nothing.
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
