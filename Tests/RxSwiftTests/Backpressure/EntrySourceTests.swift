import Dispatch
import RxSwift
import TestSupport
import Testing

struct EntrySourceTests {
    @Test func resumeCallbackIsNotCalledAfterDisposal() {
        let scheduler = PthreadScheduler(name: "below")
        let (calls, disposed, passed) = (Guarded(0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = SerialDisposable()
        let begins = DispatchSemaphore(value: 0)
        let source = Observable<Int>.create(flow: { out in
            out.onResume { calls.withLock { $0 += 1 } }
            out.onNext(1)
            out.onNext(2)
            _ = out.isOpen
            return Disposables.create()
        })
        subscription.disposable = source.observe(on: scheduler, buffering: .pausing(2)).subscribe(onNext: { element in
            if element == 1 { begins.wait() }
            // The job below is enqueued before the resume that element 2 causes.
            guard element == 2 else { return }
            _ = scheduler.schedule(()) { _ in
                subscription.dispose()
                disposed.signal()
                return Disposables.create()
            }
        })
        begins.signal()
        #expect(disposed.wait(timeout: .now() + 30) == .success)
        _ = scheduler.schedule(()) { _ in
            passed.signal()
            return Disposables.create()
        }
        #expect(passed.wait(timeout: .now() + 30) == .success)
        #expect(calls.withLock { $0 } == 0)
    }
}
