import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct FlowScopeTests {
    /// A zip resumes its first source where the second one runs, on a trampoline.
    @Test func aBoundaryThatIsResumedDeliversOnItsScheduler() {
        let queue = DispatchQueue(label: "home")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let (strays, done, turn) = (Guarded(0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let home = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "home")
        let first = Observable.range(start: 0, count: 500)
            .observe(on: home, buffering: .pausing(1))
            .do(onNext: { _ in
                if DispatchQueue.getSpecific(key: key) != true { strays.withLock { $0 += 1 } }
                turn.signal()
            })
        let second = Observable.range(start: 0, count: 500).do(onNext: { _ in _ = turn.wait(timeout: .now() + 10) })
        let subscription = Observable.zip(first, second, buffering: .pausing(1), resultSelector: { $0 + $1 })
            .subscribe(onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(strays.withLock { $0 } == 0)
        subscription.dispose()
    }

    @Test func whatIsResumedByATrampolineGoesOnThereAndVirtualTimeStands() {
        let (upper, lower) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        let (source, log, valve) = (PublishSubject<Int>(), Log(), TestValve(on: lower))
        let subscription = valve.above(source.observe(on: upper, buffering: .pausing(4))).note(in: log)
        valve.set(isPaused: true)
        for element in 1...2 { source.onNext(element) }
        upper.start()
        #expect(log.text == "")
        let time = upper.clock
        let resume = CurrentThreadScheduler.instance.schedule(()) { _ in
            valve.set(isPaused: false)
            return Disposables.create()
        }
        #expect(log.text == "1 2")
        #expect(upper.clock == time)
        resume.dispose()
        subscription.dispose()
        upper.start()
    }
}
