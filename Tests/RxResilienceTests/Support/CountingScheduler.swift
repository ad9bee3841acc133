import RxSwift
import RxTest
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Counts the timers that are set on another scheduler.
final class CountingScheduler: SchedulerType {
    private let base: any SchedulerType
    private let whenRead: () -> Void
    private let count = Guarded(0)

    init(_ base: any SchedulerType, whenRead: @escaping () -> Void = {}) {
        self.base = base
        self.whenRead = whenRead
    }

    /// Creates a scheduler that stops `base` after `readings` readings of the clock, so that a test ends even if
    /// virtual time stands still.
    convenience init(_ base: TestScheduler, stoppedAfter readings: Int) {
        let left = Guarded(readings)
        self.init(base) {
            let isEnough = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isEnough { base.stop() }
        }
    }

    var timers: Int { count.withLock { $0 } }

    var now: Date {
        whenRead()
        return base.now
    }

    func schedule<State>(_ state: State, action: @escaping @Sendable (State) -> any Disposable) -> any Disposable {
        base.schedule(state, action: action)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        count.withLock { $0 += 1 }
        return base.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
