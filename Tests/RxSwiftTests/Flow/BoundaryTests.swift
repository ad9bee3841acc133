import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct BoundaryTests {
    /// Of what has come into a boundary, how much has not left it.
    private struct Depth {
        var sent = 0
        var received = 0
        var most = 0

        mutating func send() {
            sent += 1
            most = max(most, sent - received)
        }
    }

    private let scheduler = TestScheduler(initialClock: 0)
    private let subject = PublishSubject<Int>()
    private let log = Log()

    @Test(arguments: [1, 2, 3, 16, 256]) func aColdSourceWaitsForRoom(bound: Int) {
        let (depth, done) = (Guarded(Depth()), DispatchSemaphore(value: 0))
        let subscription = Observable.range(start: 0, count: 20_000)
            .do(onNext: { _ in depth.withLock { $0.send() } })
            .observe(on: PthreadScheduler(name: "below"), buffering: .pausing(bound))
            .subscribe(
                onNext: { _ in depth.withLock { $0.received += 1 } }, onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(depth.withLock { $0.received } == 20_000)
        #expect(depth.withLock { $0.most } <= bound)
        subscription.dispose()
    }

    @Test func aSourceThatCannotPauseOverflowsBehindWhatWaits() {
        let subscription = subject.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        #expect(!subject.hasObservers)
        scheduler.start()
        #expect(
            log.text == "1 2 error(observe(on:) is full: 2 elements wait, and PublishSubject<Int> cannot pause)")
        subscription.dispose()
    }

    @Test func aCreateThatNeverAsksForRoomOverflowsAtTheBound() {
        let source = Observable<Int>.create { observer in
            for element in 1...4 { observer.onNext(element) }
            return Disposables.create()
        }
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        scheduler.start()
        #expect(log.text.hasPrefix("1 2 error(observe(on:) is full: 2 elements wait, and create cannot pause)"))
        subscription.dispose()
    }

    @Test func aSharedSourceThatOverflowsIsCalledByItsOperator() {
        let subscription = subject.share().observe(on: scheduler, buffering: .pausing(1)).note(in: log)
        for element in 1...2 { subject.onNext(element) }
        scheduler.start()
        #expect(log.text == "1 error(observe(on:) is full: 1 elements wait, and share cannot pause)")
        subscription.dispose()
    }

    @Test(arguments: [
        (Buffering.oldest(1), "[1, 10] [2, 20] completed"), (.newest(1), "[3, 10] completed"),
        (.failing(1), "error(zip is full: 1 elements wait, and PublishSubject<Int> cannot pause)"),
    ])
    func aZipDropsOrFails(buffering: Buffering, expected: String) {
        let other = PublishSubject<Int>()
        let subscription = Observable.zip(subject, other, buffering: buffering) { [$0, $1] }.note(in: log)
        subject.onNext(1)
        if case .oldest = buffering {
            subject.onNext(9)
            other.onNext(10)
            subject.onNext(2)
            other.onNext(20)
        } else {
            subject.onNext(3)
            other.onNext(10)
        }
        subject.onCompleted()
        other.onCompleted()
        #expect(log.text == expected)
        subscription.dispose()
    }

    @Test func aLimitedMergeOverflowsWhereItsSourceCannotPause() {
        let sources = PublishSubject<Observable<Int>>()
        let subscription = sources.merge(maxConcurrent: 1).bounded(2).note(in: log)
        for _ in 0..<4 { sources.onNext(.never()) }
        #expect(log.text.hasPrefix("error(merge(maxConcurrent:) is full: 2 elements wait"))
        subscription.dispose()
    }

    @Test func aLimitedMergeLetsItsSourceGoOn() {
        let observer = scheduler.start {
            Observable.range(start: 0, count: 20)
                .map { [scheduler] in Observable.just($0).delay(.seconds(1), scheduler: scheduler) }
                .merge(maxConcurrent: 1).observe(on: scheduler).bounded(4)
        }
        #expect(observer.events.map(\.value) == (0..<20).map { .next($0) } + [.completed])
    }

    @Test func aDelayPausesItsSource() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        let observer = scheduler.start { source.delay(.seconds(4), scheduler: scheduler).bounded(2) }
        source.expectSignals("---p---r")
        #expect(observer.events.map { "\($0.value)" } == ["next(1)", "next(2)", "next(3)", "completed"])
    }

    @Test func theOldestStay() {
        let subscription = subject.observe(on: scheduler, buffering: .oldest(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    @Test func theNewestStay() {
        let subscription = subject.observe(on: scheduler, buffering: .newest(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "3 4 completed")
        subscription.dispose()
    }

    @Test func oneTooManyFailsBehindWhatWaits() {
        let subscription = subject.observe(on: scheduler, buffering: .failing(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        scheduler.start()
        #expect(log.text.hasPrefix("1 2 error(observe(on:) is full: 2 elements wait"))
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(9), .pausing(9)])
    func anErrorComesBehindWhatWaits(buffering: Buffering) {
        let subscription = subject.observe(on: scheduler, buffering: buffering).note(in: log)
        for element in 1...2 { subject.onNext(element) }
        subject.onError(TestError.a)
        scheduler.start()
        #expect(log.text == "1 2 error(a)")
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(9), .newest(9), .failing(9), .pausing(9)], [true, false])
    func whatWaitsIsLetGoWithTheSubscription(buffering: Buffering, isDisposedInside: Bool) {
        let (source, tracker) = (PublishSubject<LifetimeTracker.Tracked>(), LifetimeTracker())
        let subscription = SerialDisposable()
        subscription.disposable = source.observe(on: scheduler, buffering: buffering).subscribe(onNext: { _ in
            if isDisposedInside { subscription.dispose() }
        })
        for _ in 0..<9 { source.onNext(tracker.make()) }
        if !isDisposedInside { subscription.dispose() }
        scheduler.advanceTo(2)
        source.onNext(tracker.make())
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func whatIsDroppedIsTold() async {
        await #expect(processExitsWith: .success) {
            let told = Guarded<[String]>([])
            Hooks.droppedElementHandler = { boundary, buffering, dropped in
                told.withLock { $0.append("\(boundary) \(buffering) \(dropped)") }
            }
            let (scheduler, subject) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let subscription = subject.observe(on: scheduler, buffering: .newest(1)).subscribe()
            for element in 1...3 { subject.onNext(element) }
            subscription.dispose()
            scheduler.start()
            precondition(told.withLock { $0 } == ["observe(on:) newest(1) 1", "observe(on:) newest(1) 2"])
        }
    }

    @Test func aWholeProcessMayBeBounded() async {
        await #expect(processExitsWith: .success) {
            Hooks.defaultBuffering = .newest(1)
            let (scheduler, subject) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            var seen: [Int] = []
            let bounded = subject.observe(on: scheduler).subscribe(onNext: { seen.append($0) })
            let own = subject.observe(on: scheduler, buffering: .unbounded).subscribe(onNext: { seen.append($0 * 10) })
            for element in 1...3 { subject.onNext(element) }
            scheduler.start()
            bounded.dispose()
            own.dispose()
            Hooks.defaultBuffering = .unbounded
            precondition(seen.sorted() == [3, 10, 20, 30], "\(seen)")
        }
    }

    @Test func aBoundOfNothingStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = Observable.just(1).bounded(0)
        }
    }
}
