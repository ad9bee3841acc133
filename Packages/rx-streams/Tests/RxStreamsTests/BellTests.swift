@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct BellTests {
    private let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)

    final class Work: Sendable {
        let count = Mutex(0)
    }

    /// Who looks and then waits misses no ring, from whatever thread it comes.
    @Test func noRingIsMissed() async throws {
        let bell = Bell()
        let work = Work()
        let rounds = 20_000
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for _ in 0..<rounds {
                    work.count.withLock { $0 += 1 }
                    bell.ring()
                    if Bool.random() { await Task.yield() }
                }
            }
            for _ in 0..<2 {
                tasks.addTask { [scheduler] in
                    while true {
                        let seen = bell.rings
                        if work.count.withLock({ $0 }) == rounds { return }
                        await bell.wait(after: seen, atMost: .never, on: scheduler)
                    }
                }
            }
        }
        #expect(work.count.withLock { $0 } == rounds)
    }

    @Test func aWaitEndsWithItsTask() async {
        let bell = Bell()
        let wait = Task { [scheduler] in await bell.wait(after: 0, atMost: .never, on: scheduler) }
        await Task.yield()
        wait.cancel()
        await wait.value
        let late = Task { [scheduler] in
            withUnsafeCurrentTask { $0?.cancel() }
            await bell.wait(after: 0, atMost: .never, on: scheduler)
        }
        await late.value
    }

    @Test func aWaitEndsWithItsSpan() async {
        await Bell().wait(after: 0, atMost: .milliseconds(5), on: scheduler)
    }

    @Test func aRingThatCameBeforeEndsAWaitAtOnce() async {
        let bell = Bell()
        let seen = bell.rings
        bell.ring()
        await bell.wait(after: seen, atMost: .never, on: scheduler)
    }
}
