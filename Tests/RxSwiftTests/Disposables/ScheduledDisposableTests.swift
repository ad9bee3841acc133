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
}
