import Testing

@testable import RxSwift

struct PthreadPoolTests {
    /// As a chain does that has outlived the scheduler.
    @Test func jobAfterShutdownOfReleasedSchedulerIsDropped() {
        let pool = PthreadPool(name: "rx-gone", maxThreads: 1, idleTime: .seconds(1), stackSize: nil)
        pool.shutdown(.drain)
        pool.release()
        let late = ScheduledAction { Disposables.create() }
        pool.enqueue(late)
        #expect(late.isDisposed && pool.threadCount == 0)
    }
}
