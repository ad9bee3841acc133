import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct FlowScopeTests {
    @Test func resumedBoundaryDeliversOnItsScheduler() {
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

    @Test func resumedLoopInVirtualTimeFillsRoomInOneStep() {
        let (scheduler, other, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
        let numbers = Observable.range(start: 0, count: 300).do(onNext: { _ in log(scheduler.clock) })
        let rows = Observable.zip(numbers, other, buffering: .pausing(200)) { $0 + $1 }
        let subscription = TestValve(on: scheduler).above(rows).subscribe()
        #expect(log.entries.count == 200)
        for element in 0..<150 { other.onNext(element) }
        scheduler.start()
        let times = log.entries.dropFirst(200)
        #expect(times.count == 100)
        #expect(Set(times).count == 1)
        subscription.dispose()
    }

    /// The number of elements, out of 100, that are sent outside the queue of `observe(on:)`.
    private func sentElsewhere(_ rows: (Observable<Int>) -> Observable<Int>) -> Int {
        let (queue, key) = (DispatchQueue(label: "home"), DispatchSpecificKey<Bool>())
        queue.setSpecific(key: key, value: true)
        let home = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "home")
        let (elsewhere, done) = (Guarded(0), DispatchSemaphore(value: 0))
        let numbers = Observable.range(start: 0, count: 100)
            .do(onNext: { _ in
                if DispatchQueue.getSpecific(key: key) != true { elsewhere.withLock { $0 += 1 } }
            })
        queue.suspend()
        let subscription = rows(numbers).observe(on: home, buffering: .pausing(4))
            .subscribe(onCompleted: { done.signal() })
        queue.resume()
        #expect(done.wait(timeout: .now() + 30) == .success)
        subscription.dispose()
        return elsewhere.withLock { $0 }
    }

    @Test func boundedSourceAboveBoundaryResumesOnDeliveringThread() {
        #expect(sentElsewhere { $0.bounded(2) } == 4)
    }

    @Test func boundedZipAboveBoundaryResumesOnDeliveringThread() {
        #expect(sentElsewhere { numbers in Observable.zip(numbers, numbers, buffering: .pausing(8)) { $0 + $1 } } <= 12)
    }

    @Test func zipPolicyDoesNotApplyToLimitedMergeSource() {
        let (other, sent) = (PublishSubject<Int>(), Guarded(0))
        let sources = Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
            .map { _ in Observable<Int>.never() }
        let subscription = Observable.zip(sources.merge(maxConcurrent: 1), other, buffering: .pausing(1)) { $0 + $1 }
            .subscribe()
        #expect(sent.withLock { $0 } == 100)
        subscription.dispose()
    }

    @Test func zipPolicyDoesNotApplyToZipSource() {
        let (first, second, other, log) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>(), Log())
        let pairs = Observable.zip(first, second) { 10 * $0 + $1 }
        let subscription = Observable.zip(pairs, other, buffering: .oldest(1)) { "\($0) \($1)" }.note(in: log)
        for element in 1...3 { first.onNext(element) }
        for element in 1...3 {
            second.onNext(element)
            other.onNext(element)
        }
        #expect(log.entries == ["11 1", "22 2", "33 3"])
        subscription.dispose()
    }

    @Test func resumeOnTrampolineDeliversThereWithoutAdvancingTime() {
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
