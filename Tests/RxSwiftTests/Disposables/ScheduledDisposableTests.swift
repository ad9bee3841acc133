import Dispatch
import RxSwift
import TestSupport
import Testing

struct ScheduledDisposableTests {
    @Test func disposesOnItsScheduler() {
        let log = Log()
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            let scheduled = ScheduledDisposable(
                scheduler: CurrentThreadScheduler.instance, disposable: Disposables.create { log("x") })
            scheduled.dispose()
            scheduled.dispose()
            log("\(scheduled.isDisposed)")
            return Disposables.create { log("\(scheduled.isDisposed)") }
        }.dispose()
        #expect(log.text == "false x true")
    }

    @Test func disposalFreesInnerDisposable() {
        weak var seen: CompositeDisposable?
        func make() -> ScheduledDisposable {
            let inner = CompositeDisposable()
            seen = inner
            return ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: inner)
        }
        let scheduled = make()
        scheduled.dispose()
        withExtendedLifetime(scheduled) { #expect(seen == nil) }
    }

    @Test func threadsThatDisposeAtOnceScheduleOneDisposal() throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        for _ in 0..<100 {
            let (log, done) = (Log(), DispatchSemaphore(value: 0))
            let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: Disposables.create { log("x") })
            try runConcurrently(threads: 2) { _ in scheduled.dispose() }
            _ = scheduler.schedule(()) { _ in
                done.signal()
                return Disposables.create()
            }
            #expect(done.wait(timeout: .now() + 30) == .success)
            #expect(log.text == "x")
            #expect(scheduled.isDisposed)
        }
    }

    @Test func shutDownSchedulerDisposesAtOnce() {
        let (log, scheduler) = (Log(), PthreadScheduler())
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: Disposables.create { log("x") })
        scheduler.shutdown()
        scheduled.dispose()
        #expect(log.text == "x" && scheduled.isDisposed)
    }

    @Test func disposalWaitingForSchedulerRunsAtDroppingShutdown() throws {
        let (log, scheduler, go) = (Log(), PthreadScheduler(), DispatchSemaphore(value: 0))
        _ = scheduler.schedule(()) { _ in
            scheduler.shutdown(.drop)
            go.wait()
            return Disposables.create()
        }
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: Disposables.create { log("x") })
        scheduled.dispose()
        go.signal()
        scheduler.shutdown(.drop)
        #expect(log.text == "x" && scheduled.isDisposed)
    }
}
