import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct InnerFlowTests {
    @Test func innerSourceAddedDuringPauseIsPaused() {
        let (scheduler, outer, sent) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Guarded(0))
        let subscription = outer.flatMap { _ in
            Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
        }
        .observe(on: scheduler, buffering: .pausing(4)).subscribe()
        outer.onNext(0)
        #expect(sent.withLock { $0 } == 4)
        outer.onNext(1)
        #expect(sent.withLock { $0 } == 4)
        subscription.dispose()
        scheduler.start()
    }

    /// `numbers` sends on another thread while this thread delivers the subject's element.
    @Test(arguments: [(1, 1), (4, 4), (1000, 64)]) func elementsQueuedInBusyGateAreBounded(bound: Int, most: Int) {
        let (scheduler, subject) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
        nonisolated(unsafe) let turns = Turns()
        nonisolated(unsafe) var (sent, sentMeanwhile, received) = (0, 0, [Int]())
        let numbers = Observable.range(start: 0, count: 300, scheduler: turns).do(onNext: { _ in sent += 1 })
        let subscription = Observable.merge(subject, numbers)
            .do(onNext: { number in
                guard number < 0 else { return }
                _ = try? runOnThread { turns.runAll() }
                sentMeanwhile = sent
            })
            .observe(on: scheduler).bounded(bound).subscribe(onNext: { received.append($0) })
        subject.onNext(-1)
        #expect(sentMeanwhile == most)
        for _ in 0..<300 {
            turns.runAll()
            scheduler.start()
        }
        #expect(received == Array(-1..<300))
        subscription.dispose()
        turns.runAll()
        scheduler.start()
    }

    @Test func concatenatedHopsKeepFewElementsInFlight() {
        let work = SerialDispatchQueueScheduler(internalSerialQueueName: "row")
        let (counts, done) = (Guarded((ahead: 0, most: 0)), DispatchSemaphore(value: 0))
        let subscription = Observable.range(start: 0, count: 3_000)
            .do(onNext: { _ in
                counts.withLock {
                    $0.ahead += 1
                    $0.most = max($0.most, $0.ahead)
                }
            })
            .concatMap { Observable.just($0).observe(on: work) }.bounded(1)
            .subscribe(onNext: { _ in counts.withLock { $0.ahead -= 1 } }, onCompleted: { done.signal() })
        done.wait()
        #expect(counts.withLock { $0.most } <= 8)
        subscription.dispose()
    }

    @Test func mergedSourcesDisposedDuringDeliveryAreFreed() {
        let (tracker, subject) = (LifetimeTracker(), PublishSubject<Int>())
        nonisolated(unsafe) let turns = Turns()
        let numbers = Observable.range(start: 0, count: 300, scheduler: turns).map { tracker.make($0) }
        let held = SerialDisposable()
        held.disposable = Observable.merge(subject.map { tracker.make($0) }, numbers)
            .do(onNext: { number in
                guard number.value < 0 else { return }
                _ = try? runOnThread {
                    turns.runAll()
                    held.dispose()
                }
            })
            .observe(on: turns).bounded(4).subscribe()
        subject.onNext(-1)
        turns.runAll()
        #expect(tracker.live == 0)
    }

    @Test func zipWithRoomKeepsSourcePausedByDownstream() {
        let (upper, lower) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        let (other, sent) = (PublishSubject<Int>(), Guarded(0))
        let numbers = Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
        let subscription = Observable.zip(numbers, other, buffering: .pausing(1)) { $0 + $1 }
            .observe(on: upper, buffering: .pausing(1)).observe(on: lower, buffering: .pausing(1)).subscribe()
        other.onNext(0)
        upper.start()
        #expect(sent.withLock { $0 } == 2)
        // The second element fills the queue of the upper `observe(on:)`, because the lower one delivers nothing.
        other.onNext(1)
        upper.start()
        #expect(sent.withLock { $0 } == 2)
        subscription.dispose()
        upper.start()
        lower.start()
    }

    @Test func allThatAreHeldAreResumed() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let sources = (0..<8).map { number in Observable.just(number).concat(Observable.just(number)) }
        let subscription = Observable.merge(sources).observe(on: scheduler, buffering: .pausing(1)).note(in: log)
        scheduler.start()
        #expect(log.text.filter(\.isNumber).count == 16)
        #expect(log.text.hasSuffix("completed"))
        subscription.dispose()
    }

    @Test func sourcesThatAreHeldTakeTurns() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let sources = ["a", "b", "c"].map { name in Observable.range(start: 0, count: 10).map { "\(name)\($0)" } }
        let subscription = Observable.merge(sources).observe(on: scheduler, buffering: .pausing(1)).note(in: log)
        scheduler.start()
        let order = log.entries
        let lastToBegin = ["a0", "b0", "c0"].map { order.firstIndex(of: $0) ?? Int.max }.max()!
        let firstToEnd = ["a9", "b9", "c9"].map { order.firstIndex(of: $0) ?? -1 }.min()!
        #expect(lastToBegin < firstToEnd)
        subscription.dispose()
    }

    @Test func endedInnerSourcesAreFreed() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            let outer = PublishSubject<Int>()
            let subscription = outer.flatMap { _ in Observable.of(1, 2) }.bounded(4).subscribe()
            for number in 0..<1_000 { outer.onNext(number) }
            precondition(Resources.total < 200, "\(Resources.total)")
            subscription.dispose()
        }
    }

    @Test func pauseReachesEachOfManySources() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = (0..<70).map { _ in scheduler.createPausableObservable("----------|", of: Int.self) }
        let observer = scheduler.start(disposed: 205) {
            Observable.merge(sources.map { $0.asObservable() }).paused(by: "--p", on: scheduler)
        }
        #expect(observer.events.isEmpty)
        #expect(sources.allSatisfy { $0.signals.map(\.value) == [.pause] })
    }

    @Test func innerSourcesAddedDuringPauseAreAllResumed() {
        let (scheduler, log, outer) = (TestScheduler(initialClock: 0), Log(), PublishSubject<Int>())
        let valve = TestValve(on: scheduler)
        let subscription = valve.above(outer.flatMap { Observable.of(2 * $0, 2 * $0 + 1) }).note(in: log)
        valve.set(isPaused: true)
        for number in 0..<100 { outer.onNext(number) }
        outer.onCompleted()
        #expect(log.text == "")
        valve.set(isPaused: false)
        scheduler.start()
        #expect(log.entries.compactMap { Int($0) }.sorted() == Array(0..<200))
        #expect(log.entries.last == "completed")
        subscription.dispose()
    }

    @Test func innerSourcesReplacedDuringPauseAreFreed() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            let (outer, valve) = (PublishSubject<Int>(), TestValve(on: TestScheduler(initialClock: 0)))
            let subscription = valve.above(outer.flatMapLatest { _ in PublishSubject<Int>().asObservable() })
                .subscribe()
            valve.set(isPaused: true)
            for number in 0..<1_000 { outer.onNext(number) }
            precondition(Resources.total < 200, "\(Resources.total)")
            valve.set(isPaused: false)
            subscription.dispose()
        }
    }
}
