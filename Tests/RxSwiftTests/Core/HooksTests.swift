import RxSwift
import TestSupport
import Testing

struct HooksTests {
    // In a process of its own: the hooks belong to everyone.
    @Test func keepsWhatIsSet() async {
        await #expect(processExitsWith: .success) {
            precondition(!Hooks.recordCallStackOnError)
            Hooks.recordCallStackOnError = true
            precondition(Hooks.recordCallStackOnError)

            let log = Log()
            Hooks.defaultErrorHandler = { stack, error in log("\(stack) \(error)") }
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            Hooks.defaultErrorHandler(Hooks.customCaptureSubscriptionCallstack(), TestError.a)
            precondition(log.text == "[\"here\"] a")
        }
    }

    @Test func eachSubscriptionIsRecorded() async {
        await #expect(processExitsWith: .success) {
            let recorded = Log()
            Hooks.customCaptureSubscriptionCallstack = {
                recorded("here")
                return []
            }
            _ = Observable.just(1).subscribe()
            Hooks.recordCallStackOnError = true
            _ = Observable.just(1).subscribe()
            _ = Observable.of(1, 2).subscribe(onNext: { _ in })
            _ = Observable<Int>.error(TestError.a).subscribe(onError: { _ in })
            precondition(recorded.text == "here here here")
        }
    }

    @Test func letsAReplacedHandlerGo() async {
        await #expect(processExitsWith: .success) {
            let tracker = LifetimeTracker()
            let held = tracker.make()
            Hooks.defaultErrorHandler = { [held] _, _ in _ = held }
            Hooks.defaultErrorHandler = { _, _ in }
            withExtendedLifetime(held) { precondition(tracker.live == 1) }
        }
    }
}
