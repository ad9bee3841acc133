import Testing

@testable import RxSwift

struct PthreadPoolTests {
    /// A chain that outlives its scheduler may enqueue a job after the release.
    @Test func jobAfterShutdownOfReleasedSchedulerIsDropped() {
        let pool = PthreadPool(name: "rx-gone", maxThreads: 1, idleTime: .seconds(1), stackSize: nil)
        pool.shutdown(.drain)
        pool.release()
        let late = ScheduledAction { Disposables.create() }
        pool.enqueue(late)
        #expect(late.isDisposed && pool.threadCount == 0)
    }
}
