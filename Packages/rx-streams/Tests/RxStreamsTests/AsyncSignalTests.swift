import Foundation
@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct AsyncSignalTests {
    private let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)

    final class Work: Sendable {
        let count = Mutex(0)
    }

    /// A signal may come after a task has read the count, but before the task waits.
    @Test func noSignalIsMissed() async throws {
        let signal = AsyncSignal()
        let work = Work()
        let rounds = 20_000
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for _ in 0..<rounds {
                    work.count.withLock { $0 += 1 }
                    signal.send()
                    if Bool.random() { await Task.yield() }
                }
            }
            for _ in 0..<2 {
                tasks.addTask { [scheduler] in
                    while true {
                        let seen = signal.count
                        if work.count.withLock({ $0 }) == rounds { return }
                        await signal.wait(after: seen, atMost: .never, on: scheduler)
                    }
                }
            }
        }
        #expect(work.count.withLock { $0 } == rounds)
    }

    @Test func waitEndsWithItsTask() async {
        let signal = AsyncSignal()
        let wait = Task { [scheduler] in await signal.wait(after: 0, atMost: .never, on: scheduler) }
        await Task.yield()
        wait.cancel()
        await wait.value
        let late = Task { [scheduler] in
            withUnsafeCurrentTask { $0?.cancel() }
            await signal.wait(after: 0, atMost: .never, on: scheduler)
        }
        await late.value
    }

    @Test func waitEndsAfterItsTimeout() async {
        await AsyncSignal().wait(after: 0, atMost: .milliseconds(5), on: scheduler)
    }

    @Test func earlierSignalEndsWaitAtOnce() async {
        let signal = AsyncSignal()
        let seen = signal.count
        signal.send()
        await signal.wait(after: seen, atMost: .never, on: scheduler)
    }

    @Test func endedWaitLeavesNoAlarm() async {
        let (signal, alarms) = (AsyncSignal(), Alarms())
        let wait = Task { await signal.wait(after: 0, atMost: .seconds(1_000), on: alarms) }
        while alarms.all == 0 { await Task.yield() }
        signal.send()
        await wait.value
        #expect(alarms.all == 1 && alarms.left == 0)
    }
}

/// A scheduler that runs no action. It counts the scheduled actions, and those that were not cancelled.
private final class Alarms: SchedulerType, Sendable {
    private let counts = Mutex((all: 0, left: 0))

    var all: Int { counts.withLock { $0.all } }
    var left: Int { counts.withLock { $0.left } }
    var now: RxTime { RxTime() }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        counts.withLock { $0 = ($0.all + 1, $0.left + 1) }
        return Disposables.create { [self] in counts.withLock { $0.left -= 1 } }
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        schedule(state, action: action)
    }
}
