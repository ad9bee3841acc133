import RxSwift
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Another scheduler, and how many timers were set on it.
final class CountingScheduler: SchedulerType {
    private let base: any SchedulerType
    private let count = Guarded(0)

    init(_ base: any SchedulerType) {
        self.base = base
    }

    var timers: Int { count.withLock { $0 } }
    var now: Date { base.now }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        base.schedule(state, action: action)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        count.withLock { $0 += 1 }
        return base.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
