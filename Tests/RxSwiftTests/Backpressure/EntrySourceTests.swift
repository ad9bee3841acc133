import Dispatch
import RxSwift
import TestSupport
import Testing

#if Foundation
    import Foundation
#endif

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
            // The delivery of element 2 makes room, so the boundary will resume the source. The job below is enqueued
            // before the resume.
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

    #if Foundation
        /// The queue may run several jobs in parallel.
        @Test func resumeCallbacksDoNotOverlap() throws {
            let queue = OperationQueue()
            let (out, isRead) = (Guarded<FlowObserver<Int>?>(nil), DispatchSemaphore(value: 0))
            let (begun, running, overlapping) = (Guarded(0), Guarded(0), Guarded(false))
            let subscription = Observable<Int>.create(flow: { observer in
                observer.onResume {
                    let isAlone = running.withLock { running in
                        running += 1
                        return running == 1
                    }
                    if !isAlone { overlapping.withLock { $0 = true } }
                    let number = begun.withLock { begun in
                        begun += 1
                        return begun
                    }
                    if number == 1 {
                        isRead.wait()
                        isRead.signal()
                        _ = comesTrue { queue.operationCount == 1 }
                    }
                    running.withLock { $0 -= 1 }
                }
                out.withLock { $0 = observer }
                return Disposables.create()
            })
            .observe(on: OperationQueueScheduler(operationQueue: queue), buffering: .pausing(1))
            .subscribe(onNext: { element in
                guard element == 2 else { return }
                isRead.wait()
                isRead.signal()
            })
            defer { subscription.dispose() }
            let observer = try #require(out.withLock { $0 })
            observer.onNext(1)
            #expect(!observer.isOpen)
            #expect(comesTrue { begun.withLock { $0 } == 1 })
            observer.onNext(2)
            #expect(!observer.isOpen)
            isRead.signal()
            #expect(comesTrue { begun.withLock { $0 } == 2 && running.withLock { $0 } == 0 })
            #expect(!overlapping.withLock { $0 })
        }
    #endif
}
