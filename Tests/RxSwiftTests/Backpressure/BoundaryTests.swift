import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

func overflow(_ boundary: String, _ waiting: String, _ source: String) -> String {
    """
    error(\(boundary) is full: \(waiting), and \(source) did not pause; use a source that can pause, or drop elements \
    (see the page "Bounded memory"))
    """
}

struct BoundaryTests {
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

    @Test func nonPausableSourceOverflowsAfterWaitingElements() {
        let subscription = subject.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        #expect(!subject.hasObservers)
        scheduler.start()
        #expect(
            log.text == "1 2 " + overflow("observe(on:)", "2 elements are waiting", "PublishSubject<Int>"))
        subscription.dispose()
    }

    @Test func createWithoutFlowControlOverflowsAtBound() {
        let source = Observable<Int>.create { observer in
            for element in 1...4 { observer.onNext(element) }
            return Disposables.create()
        }
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        scheduler.start()
        #expect(log.text.hasPrefix("1 2 " + overflow("observe(on:)", "2 elements are waiting", "create")))
        subscription.dispose()
    }

    @Test func overflowNamesShareOperator() {
        let subscription = subject.share().observe(on: scheduler, buffering: .pausing(1)).note(in: log)
        for element in 1...2 { subject.onNext(element) }
        scheduler.start()
        #expect(log.text == "1 " + overflow("observe(on:)", "1 element is waiting", "share"))
        subscription.dispose()
    }

    @Test func overflowOfGroupOrWindowNamesItsOperator() {
        let source = subject
        let sequences: [(Observable<Observable<Int>>, String)] = [
            (source.groupBy { $0 % 2 }.map { $0.asObservable() }, "groupBy"),
            (source.window(timeSpan: .seconds(60), count: 100, scheduler: scheduler), "window"),
            (source.map { _ in source.asObservable() }, "PublishSubject<Int>"),
        ]
        for (sequence, name) in sequences {
            let below = TestScheduler(initialClock: 0)
            let subscription = sequence.flatMap { $0.observe(on: below, buffering: .failing(1)) }.note(in: log)
            for element in [1, 3, 5, 7] { source.onNext(element) }
            below.start()
            #expect(log.take().hasSuffix(overflow("observe(on:)", "1 element is waiting", name)))
            subscription.dispose()
        }
    }

    @Test func overflowNamesKindOfSource() {
        let sources: [(Observable<Int>, String)] = [
            (Observable.merge(subject, .never()), "one of the sources"),
            (subject.observe(on: scheduler), "a scheduler boundary"),
            (subject.delay(.seconds(1), scheduler: scheduler), "a scheduler boundary"),
            (subject.observe(on: scheduler, buffering: .newest(9)), "observe(on:)"),
            (Observable.range(start: 0, count: 3), "the source"),
        ]
        for (source, name) in sources {
            let below = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: below, buffering: .failing(1)).note(in: log)
            for element in 1...3 { subject.onNext(element) }
            scheduler.start()
            below.start()
            #expect(log.take().hasSuffix(overflow("observe(on:)", "1 element is waiting", name)))
            subscription.dispose()
        }
    }

    @Test(arguments: [
        (Buffering.oldest(1), "[1, 10] [2, 20] completed"), (.newest(1), "[3, 10] completed"),
        (.failing(1), overflow("zip", "1 element is waiting", "PublishSubject<Int>")),
        (.pausing(1), overflow("zip", "1 element is waiting", "PublishSubject<Int>")),
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

    @Test func eachZipOverloadAppliesBound() {
        let never = Observable<Int>.never()
        func expectFull<Row>(_ zip: Observable<Row>) {
            let subscription = zip.note(in: log)
            for element in 1...2 { subject.onNext(element) }
            #expect(log.take() == overflow("zip", "1 element is waiting", "PublishSubject<Int>"))
            subscription.dispose()
        }
        expectFull(Observable.zip([subject.asObservable(), never], buffering: .failing(1)) { row in row[0] })
        expectFull(Observable.zip(subject, never, buffering: .failing(1)) { first, _ in first })
        expectFull(Observable.zip(subject, never, never, buffering: .failing(1)) { first, _, _ in first })
        expectFull(Observable.zip(subject, never, never, never, buffering: .failing(1)) { first, _, _, _ in first })
        expectFull(Observable.zip(subject, never, buffering: .failing(1)))
        expectFull(Observable.zip(subject, never, never, buffering: .failing(1)))
        expectFull(Observable.zip(subject, never, never, never, buffering: .failing(1)))
    }

    @Test func zipElementDroppedMayPushFromItsDeinit() {
        let (source, other) = (PublishSubject<LifetimeTracker.Tracked>(), PublishSubject<Int>())
        let tracker = LifetimeTracker()
        let subscription = Observable.zip(source, other, buffering: .newest(1)) { $0.value + $1 }.note(in: log)
        source.onNext(tracker.make(1, onDeinit: { other.onNext(10) }))
        source.onNext(tracker.make(2))
        #expect(log.text == "12")
        subscription.dispose()
    }

    @Test func zipCompletesWhenDeinitOfDroppedElementEndsOtherSource() {
        let (source, other) = (PublishSubject<LifetimeTracker.Tracked>(), PublishSubject<LifetimeTracker.Tracked>())
        let (tracker, sources) = (LifetimeTracker(), [source.asObservable(), other.asObservable()])
        let subscription = Observable<Int>.zip(sources, buffering: .newest(1)) { row in row.count }.note(in: log)
        source.onNext(tracker.make(1, onDeinit: { other.onCompleted() }))
        source.onNext(tracker.make(2))
        #expect(log.text == "completed")
        subscription.dispose()
    }

    @Test func zipResumesSourceAtQuarterOfBound() {
        let source = scheduler.createPausableObservable("-1-2-3-4-5", of: Int.self)
        let subscription = Observable.zip(source, subject, buffering: .pausing(4)) { $0 + $1 }.subscribe()
        scheduler.advanceTo(20)
        for element in 1...2 { subject.onNext(element) }
        scheduler.advanceTo(30)
        #expect(source.signals.map(\.value) == [.pause])
        subject.onNext(3)
        scheduler.advanceTo(40)
        #expect(source.signals.map(\.value) == [.pause, .resume])
        subscription.dispose()
    }

    @Test func limitedMergeOfNonPausableSourceOverflows() {
        let sources = PublishSubject<Observable<Int>>()
        let subscription = sources.merge(maxConcurrent: 1).bounded(2).note(in: log)
        for _ in 0..<4 { sources.onNext(.never()) }
        #expect(log.text.hasPrefix("error(merge(maxConcurrent:) is full: 2 elements are waiting"))
        subscription.dispose()
    }

    @Test func limitedMergeResumesSourceAndDeliversAllElements() {
        let observer = scheduler.start {
            Observable.range(start: 0, count: 20)
                .map { [scheduler] in Observable.just($0).delay(.seconds(1), scheduler: scheduler) }
                .merge(maxConcurrent: 1).observe(on: scheduler).bounded(4)
        }
        #expect(observer.events.map(\.value) == (0..<20).map { .next($0) } + [.completed])
    }

    @Test func aLimitedMergePausesItsSourceWhenAsManyWaitAsMay() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        _ = scheduler.start { source.map { _ in Observable<Int>.never() }.merge(maxConcurrent: 1).bounded(1) }
        source.expectSignals("---p")
    }

    @Test func limitedMergeResumesSourceAtQuarterOfBound() {
        let source = scheduler.createPausableObservable("-0-1-2-3-4-5", of: Int.self)
        let inner = (0..<6).map { _ in PublishSubject<Int>() }
        let subscription = source.map { inner[$0] }.merge(maxConcurrent: 1).bounded(4).subscribe()
        scheduler.advanceTo(20)
        for place in 0..<2 { inner[place].onCompleted() }
        scheduler.advanceTo(30)
        #expect(source.signals.map(\.value) == [.pause])
        inner[2].onCompleted()
        scheduler.advanceTo(40)
        #expect(source.signals.map(\.value) == [.pause, .resume])
        subscription.dispose()
    }

    @Test func zipResumesPausedSourceWhenOtherSourceEnds() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        let other = scheduler.hot("-----|")
        scheduler.start { Observable.zip(source, other, buffering: .pausing(1)) { $0 + $1 } }.expect("-------|")
        source.expectSignals("-p----r")
    }

    @Test func aDelayPausesItsSource() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        let observer = scheduler.start { source.delay(.seconds(4), scheduler: scheduler).bounded(2) }
        source.expectSignals("---p---r")
        #expect(observer.events.map { "\($0.value)" } == ["next(1)", "next(2)", "next(3)", "completed"])
    }

    @Test func delayResumesSourceAtQuarterOfBound() {
        let source = scheduler.createPausableObservable("-1234-|", of: Int.self)
        _ = scheduler.start { source.delay(.seconds(6), scheduler: scheduler).bounded(4) }
        source.expectSignals("----p----r")
    }

    @Test func delayOfNonPausableSourceOverflowsAtOnce() {
        let subscription = subject.delay(.seconds(5), scheduler: scheduler).bounded(2).note(in: log)
        for element in 1...3 { subject.onNext(element) }
        #expect(log.text == overflow("delay", "2 elements are waiting", "PublishSubject<Int>"))
        subscription.dispose()
        scheduler.start()
    }

    @Test func delayAcceptsElementsInFlightFromPausedSource() {
        let source = scheduler.createPausableObservable("-1--|", of: Int.self)
        let observer = scheduler.start {
            source.lift(Twice()).delay(.seconds(4), scheduler: scheduler).bounded(1)
        }
        #expect(observer.events.map { "\($0.value)" } == ["next(1)", "next(1)", "completed"])
    }

    @Test(arguments: [Buffering.oldest(9), .newest(9), .failing(9), .pausing(9)])
    func eachElementTakesOneTurnOnCustomScheduler(buffering: Buffering) {
        let turns = Turns()
        let subscription = subject.observe(on: turns, buffering: buffering).note(in: log)
        for element in 1...3 { subject.onNext(element) }
        for expected in ["1", "1 2", "1 2 3"] {
            turns.runOne()
            #expect(log.text == expected)
        }
        subscription.dispose()
    }

    @Test func boundaryResumesSourceAtQuarterOfBound() {
        let source = scheduler.createPausableObservable("(12345678)--------|", of: Int.self)
        _ = scheduler.start { source.observe(on: scheduler, buffering: .pausing(8)) }
        source.expectSignals("p-----r")
    }

    @Test func oldestBufferingKeepsOldestElements() {
        let subscription = subject.observe(on: scheduler, buffering: .oldest(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    @Test func newestBufferingKeepsNewestElements() {
        let subscription = subject.observe(on: scheduler, buffering: .newest(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        subject.onCompleted()
        scheduler.start()
        #expect(log.text == "3 4 completed")
        subscription.dispose()
    }

    @Test func failingBoundaryReportsOverflowAfterWaitingElements() {
        let subscription = subject.observe(on: scheduler, buffering: .failing(2)).note(in: log)
        for element in 1...4 { subject.onNext(element) }
        scheduler.start()
        #expect(log.text.hasPrefix("1 2 error(observe(on:) is full: 2 elements are waiting"))
        subscription.dispose()
    }

    @Test(arguments: [1, 2, 15, 16, 17, 64, 256])
    func completionFollowsFullQueueOnPthreadScheduler(bound: Int) {
        for buffering in [Buffering.oldest(bound), .newest(bound), .failing(bound)] {
            let (thread, source, log) = (PthreadScheduler(name: "rx-below"), PublishSubject<Int>(), Log())
            let isFull = DispatchSemaphore(value: 0)
            _ = thread.schedule(()) { _ in
                isFull.wait()
                return Disposables.create()
            }
            let subscription = source.observe(on: thread, buffering: buffering).note(in: log)
            (0..<bound).forEach(source.onNext)
            source.onCompleted()
            isFull.signal()
            thread.shutdown()
            #expect(log.entries == (0..<bound).texts + ["completed"])
            subscription.dispose()
        }
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(9), .pausing(9)])
    func errorFollowsWaitingElements(buffering: Buffering) {
        let subscription = subject.observe(on: scheduler, buffering: buffering).note(in: log)
        for element in 1...2 { subject.onNext(element) }
        subject.onError(TestError.a)
        scheduler.start()
        #expect(log.text == "1 2 error(a)")
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2), .unbounded])
    func completionWithoutWaitingElementsPassesDuringPause(buffering: Buffering) {
        let source = scheduler.hot("--|")
        scheduler.start { source.observe(on: scheduler, buffering: buffering).paused(by: "-p", on: scheduler) }
            .expect("---|")
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2), .unbounded], ["-12---|", "-(12|)"])
    func waitingElementsAndEndStayDuringPause(buffering: Buffering, source: String) {
        let source = scheduler.hot(source)
        let observer = scheduler.start {
            source.observe(on: scheduler, buffering: buffering).paused(by: "p-------r", on: scheduler)
        }
        #expect(observer.events.map(\.value) == [.next(1), .next(2), .completed])
        #expect(observer.events.allSatisfy { $0.time >= 208 })
    }

    @Test func unboundedHopKeepsElementsSentDuringPause() {
        let source = scheduler.hot("-12345-|")
        let observer = scheduler.start { source.observe(on: scheduler).observe(on: scheduler, buffering: .pausing(1)) }
        #expect(observer.events.map(\.value) == (1...5).map { .next($0) } + [.completed])
    }

    @Test func boundedPausesSourceAboveUnboundedHop() {
        let source = scheduler.createPausableObservable("-(12)---|", of: Int.self)
        _ = scheduler.start {
            source.observe(on: scheduler).observe(on: scheduler, buffering: .unbounded).bounded(2)
        }
        source.expectSignals("-p-r")
    }

    @Test(arguments: [Buffering.pausing(1_000), .newest(1_000)])
    func longQueueYieldsSchedulerToOtherActions(buffering: Buffering) {
        let (thread, isFull, seen) = (PthreadScheduler(name: "rx-below"), DispatchSemaphore(value: 0), Guarded(0))
        _ = thread.schedule(()) { _ in
            isFull.wait()
            return Disposables.create()
        }
        let subscription = subject.observe(on: thread, buffering: buffering).subscribe(onNext: { _ in
            seen.withLock { $0 += 1 }
        })
        (0..<600).forEach(subject.onNext)
        let seenByOther = Guarded(0)
        _ = thread.schedule(()) { _ in
            seenByOther.withLock { $0 = seen.withLock { $0 } }
            return Disposables.create()
        }
        isFull.signal()
        thread.shutdown()
        #expect(seen.withLock { $0 } == 600)
        #expect(seenByOther.withLock { $0 } == 256)
        subscription.dispose()
    }

    @Test func pausedLoopOnShutDownSchedulerIsDisposed() {
        let thread = PthreadScheduler(name: "dropping")
        thread.shutdown(.drop)
        let subscription = Observable.range(start: 0, count: 9, scheduler: thread)
            .noteLifetime(in: log, as: "source").observe(on: scheduler, buffering: .pausing(2)).subscribe()
        #expect(log.text == "source+ source-")
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(9), .newest(9), .failing(9), .pausing(9)], [true, false])
    func waitingElementsAreFreedWithTheSubscription(buffering: Buffering, isDisposedInside: Bool) {
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

    @Test func hopDroppedElementsAreReported() async {
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

    @Test func delayDroppedElementsAreReported() async {
        await #expect(processExitsWith: .success) {
            let told = Guarded<[String]>([])
            Hooks.droppedElementHandler = { boundary, buffering, dropped in
                told.withLock { $0.append("\(boundary) \(buffering) \(dropped)") }
            }
            Hooks.defaultBuffering = .newest(2)
            let (scheduler, subject, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
            let subscription = subject.delay(.seconds(5), scheduler: scheduler).note(in: log)
            for element in 1...4 { subject.onNext(element) }
            scheduler.start()
            subscription.dispose()
            Hooks.defaultBuffering = .unbounded
            precondition(log.text == "3 4", log.text)
            precondition(told.withLock { $0 } == ["delay newest(2) 1", "delay newest(2) 2"])
        }
    }

    private static func checkDelay(
        _ buffering: Buffering, _ span: RxTimeInterval = .seconds(5), gives events: [Recorded<Event<Int>>]
    ) {
        Hooks.defaultBuffering = buffering
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-1--2")
        let observer = scheduler.start { source.delay(span, scheduler: scheduler) }
        Hooks.defaultBuffering = .unbounded
        precondition(observer.events == events, "\(observer.events)")
    }

    @Test func delayElementThatReplacesDroppedOneKeepsItsTime() async {
        await #expect(processExitsWith: .success) { Self.checkDelay(.newest(1), gives: [.next(209, 2)]) }
    }

    /// The clock shows only whole seconds.
    @Test func delayOnCoarseClockDeliversKeptElementAtItsOwnTime() async {
        await #expect(processExitsWith: .success) {
            Self.checkDelay(.newest(1), .milliseconds(5_400), gives: [.next(209, 2)])
        }
    }

    @Test func delayDroppedElementDoesNotPostponeWaiting() async {
        await #expect(processExitsWith: .success) { Self.checkDelay(.oldest(1), gives: [.next(206, 1)]) }
    }

    @Test func zipDroppedElementsAreReported() async {
        await #expect(processExitsWith: .success) {
            let told = Guarded<[String]>([])
            Hooks.droppedElementHandler = { boundary, buffering, dropped in
                told.withLock { $0.append("\(boundary) \(buffering) \(dropped)") }
            }
            for buffering in [Buffering.oldest(1), .newest(1)] {
                let (subject, never) = (PublishSubject<Int>(), Observable<Int>.never())
                let subscription = Observable.zip(subject, never, buffering: buffering) { $0 + $1 }.subscribe()
                for element in 1...3 { subject.onNext(element) }
                subscription.dispose()
            }
            precondition(
                told.withLock { $0 } == ["zip oldest(1) 1", "zip oldest(1) 2", "zip newest(1) 1", "zip newest(1) 2"])
        }
    }

    @Test func defaultBufferingBoundsEachHopWithoutItsOwn() async {
        await #expect(processExitsWith: .success) {
            Hooks.defaultBuffering = .newest(1)
            let (scheduler, subject) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            nonisolated(unsafe) var seen: [Int] = []
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

    @Test func boundOfZeroStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = Observable.just(1).bounded(0)
        }
    }

    @Test func zipWithBoundOfZeroStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = Observable.zip(Observable.just(1), Observable.just(2), buffering: .pausing(0)) { $0 + $1 }
        }
    }

    @Test func hopWithZeroBoundTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).observe(on: CurrentThreadScheduler.instance, buffering: .newest(0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("a bound must be at least 1 (observe(on:buffering:)"))
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func elementForShutDownSchedulerIsFreed(buffering: Buffering) {
        let (thread, tracker) = (PthreadScheduler(name: "dropping"), LifetimeTracker())
        thread.shutdown(.drop)
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.observe(on: thread, buffering: buffering).subscribe()
        source.onNext(tracker.make())
        #expect(tracker.live == 0)
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func elementsWaitingDuringPauseAreFreedWithTheSubscription(buffering: Buffering) {
        let (source, tracker) = (PublishSubject<LifetimeTracker.Tracked>(), LifetimeTracker())
        let valve = TestValve(on: scheduler)
        let subscription = valve.above(source.observe(on: scheduler, buffering: buffering)).subscribe()
        valve.set(isPaused: true)
        for _ in 0..<2 { source.onNext(tracker.make()) }
        scheduler.start()
        #expect(tracker.live == 2)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func elementMadeWhileDisposedDuringPauseIsFreedAtOnce(buffering: Buffering) {
        let (source, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        let (valve, subscription) = (TestValve(on: scheduler), SerialDisposable())
        let tracked = source.map { [log] element in
            if element == 2 {
                subscription.dispose()
                log(tracker.live)
            }
            return tracker.make(element)
        }
        subscription.disposable = valve.above(tracked.observe(on: scheduler, buffering: buffering)).subscribe()
        let behind = source.subscribe(onNext: { [log] _ in log(tracker.live) })
        valve.set(isPaused: true)
        source.onNext(1)
        scheduler.start()
        source.onNext(2)
        #expect(log.text == "1 0 0")
        #expect(tracker.live == 0)
        behind.dispose()
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func waitingElementsAreFreedWhenDownstreamChainEnds(buffering: Buffering) {
        let (source, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        let tracked = source.map { [log, scheduler] element in
            if element == 3 {
                scheduler.start()
                log(tracker.live)
            }
            return tracker.make(element)
        }
        let subscription = tracked.observe(on: scheduler, buffering: buffering).take(1).subscribe()
        for element in 1...3 { source.onNext(element) }
        #expect(log.text == "0")
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func elementReturnedByClosureAfterSourceEndIsDropped(buffering: Buffering) {
        let ending = subject.map { [subject] element in
            subject.onCompleted()
            return element
        }
        let subscription = ending.observe(on: scheduler, buffering: buffering).note(in: log)
        subject.onNext(1)
        scheduler.start()
        #expect(log.text == "completed")
        subscription.dispose()
    }

    private func silentSource(_ head: Guarded<AnyObserver<Int>?>) -> Observable<Int> {
        .create { out in
            head.withLock { $0 = out }
            return Disposables.create()
        }
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func releasedSourceAboveBoundaryFreesChain(buffering: Buffering) {
        let (tracker, head) = (LifetimeTracker(), Guarded<AnyObserver<Int>?>(nil))
        _ = silentSource(head).observe(on: scheduler, buffering: buffering)
            .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        scheduler.start()
        #expect(tracker.live == 1)
        head.withLock { $0.take() }?.onNext(1)
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test(arguments: [Buffering.oldest(2), .newest(2), .failing(2), .pausing(2)])
    func chainWithTeardownOutlivesReleasedSourceAboveBoundary(buffering: Buffering) {
        let (tracker, head) = (LifetimeTracker(), Guarded<AnyObserver<Int>?>(nil))
        let subscription = silentSource(head).observe(on: scheduler, buffering: buffering)
            .do(onDispose: { [log] in log("torn") })
            .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        head.withLock { $0.take() }?.onNext(1)
        scheduler.start()
        #expect(tracker.live == 1)
        #expect(log.text == "")
        subscription.dispose()
        #expect(tracker.live == 0)
        #expect(log.text == "torn")
    }

    /// At element 12, the observer pauses the chain. At the same element, the boundary resumes the source, and the
    /// source's callback ends the pause.
    @Test func pauseEndedDuringDrainDelaysNothing() {
        let (valve, observer) = (TestValve(on: scheduler), Guarded<AnyObserver<Int>?>(nil))
        let source = Observable<Int>.listening(on: AtOnce()) { made in
            observer.withLock { $0 = made }
            return (Disposables.create(), { isPaused in if !isPaused { valve.set(isPaused: false) } })
        }
        let tracker = LifetimeTracker()
        let subscription = valve.above(source.map { tracker.make($0) }.observe(on: scheduler, buffering: .pausing(16)))
            .subscribe(onNext: { [log] element in
                log(element)
                if element.value == 12 { valve.set(isPaused: true) }
            })
        let top = observer.withLock { $0 }
        for element in 1...16 { top?.onNext(element) }
        scheduler.start()
        #expect(log.text == (1...16).texts.joined(separator: " "))
        for element in 17...18 { top?.onNext(element) }
        #expect(tracker.live == 2)
        subscription.dispose()
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test func chainDisposedAfterIdlePauseFreesElements() {
        let (valve, observer) = (TestValve(on: scheduler), Guarded<AnyObserver<Int>?>(nil))
        let source = Observable<Int>.listening(on: AtOnce()) { made in
            observer.withLock { $0 = made }
            return (Disposables.create(), { isPaused in if !isPaused { valve.set(isPaused: false) } })
        }
        let (tracker, subscription) = (LifetimeTracker(), SerialDisposable())
        let chain = valve.above(source.map { tracker.make($0) }.observe(on: scheduler, buffering: .pausing(16)))
        subscription.disposable = chain.subscribe(onNext: { [log] element in
            log(element)
            if element.value == 12 { valve.set(isPaused: true) }
            if element.value == 13 { subscription.dispose() }
        })
        let top = observer.withLock { $0 }
        for element in 1...16 { top?.onNext(element) }
        scheduler.start()
        #expect(log.text == (1...13).texts.joined(separator: " "))
        #expect(tracker.live == 0)
    }

    @Test(arguments: [1, 16]) func pausesThatComeAndGoLoseNothing(bound: Int) {
        let (valve, done) = (TestValve(on: PthreadScheduler(name: "valve")), DispatchSemaphore(value: 0))
        let (received, isOver) = (Guarded<[Int]>([]), Guarded(false))
        let source = Observable.range(start: 0, count: 30_000)
            .observe(on: PthreadScheduler(name: "below"), buffering: .pausing(bound))
        let subscription = valve.above(source).subscribe(
            onNext: { element in received.withLock { $0.append(element) } }, onCompleted: { done.signal() })
        let hasStopped = DispatchSemaphore(value: 0)
        startThread {
            while !isOver.withLock({ $0 }) {
                valve.set(isPaused: true)
                valve.set(isPaused: false)
            }
            hasStopped.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        isOver.withLock { $0 = true }
        hasStopped.wait()
        #expect(received.withLock { $0 } == Array(0..<30_000))
        subscription.dispose()
    }

    @Test(arguments: [Buffering.oldest(9), .newest(9), .failing(9), .pausing(9)])
    func boundaryInVirtualTimeTakesOneStepForEachEvent(buffering: Buffering) {
        let source = scheduler.hot("{10}(123|)")
        scheduler.start { source.observe(on: scheduler, buffering: buffering) }.expect("{11}123|")
    }

    @Test(arguments: [Buffering.oldest(9), .newest(9), .failing(9), .pausing(9)])
    func elementAfterQueueRanEmptyIsDelivered(buffering: Buffering) {
        let (thread, hasCome) = (PthreadScheduler(name: "below"), DispatchSemaphore(value: 0))
        let subscription = subject.observe(on: thread, buffering: buffering).subscribe(onNext: { [log] in
            log($0)
            hasCome.signal()
        })
        for element in 0..<200 {
            subject.onNext(element)
            guard hasCome.wait(timeout: .now() + 30) == .success else { break }
            // Waits until the thread has found the queue empty.
            drain(thread)
        }
        #expect(log.entries == (0..<200).texts)
        subscription.dispose()
        thread.shutdown(.drop)
    }

    @Test func elementThatFailsBoundaryIsNotReportedAsDropped() async {
        await #expect(processExitsWith: .success) {
            let told = Guarded(0)
            Hooks.droppedElementHandler = { _, _, _ in told.withLock { $0 += 1 } }
            let (scheduler, subject) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let subscription = subject.observe(on: scheduler, buffering: .failing(1)).subscribe(onError: { _ in })
            for element in 1...3 { subject.onNext(element) }
            scheduler.start()
            subscription.dispose()
            precondition(told.withLock { $0 } == 0)
        }
    }

    @Test func elementAfterEndIsNotReportedAsDropped() async {
        await #expect(processExitsWith: .success) {
            let told = Guarded(0)
            Hooks.droppedElementHandler = { _, _, _ in told.withLock { $0 += 1 } }
            let scheduler = TestScheduler(initialClock: 0)
            for buffering in [Buffering.oldest(2), .newest(2), .failing(2)] {
                let subject = PublishSubject<Int>()
                let ending = subject.map { element in
                    subject.onCompleted()
                    return element
                }
                let subscription = ending.observe(on: scheduler, buffering: buffering).subscribe()
                subject.onNext(1)
                scheduler.start()
                subscription.dispose()
            }
            precondition(told.withLock { $0 } == 0)
        }
    }

    @Test func sourceReceivesEachPauseAndResumeOnce() {
        let (thread, gate, done) = (
            PthreadScheduler(name: "below"), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let observer = Guarded<AnyObserver<Int>?>(nil)
        let sent = Guarded(0)
        func send(_ count: Int) {
            let top = observer.withLock { $0 }
            for _ in 0..<count {
                let element = sent.withLock { sent in
                    sent += 1
                    return sent
                }
                top?.onNext(element)
            }
        }
        let source = Observable<Int>.listening(on: AtOnce()) { [log] made in
            observer.withLock { $0 = made }
            return (
                Disposables.create(),
                { isPaused in
                    log(isPaused ? "pause" : "resume")
                    if !isPaused && sent.withLock({ $0 }) == 4 { send(3) }
                }
            )
        }
        let stall = thread.schedule(()) { _ in
            _ = gate.wait(timeout: .now() + 30)
            return Disposables.create()
        }
        let subscription = source.observe(on: thread, buffering: .pausing(4)).subscribe(onNext: { element in
            if element == 7 { done.signal() }
        })
        send(4)
        gate.signal()
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(log.text == "pause resume pause resume")
        subscription.dispose()
        stall.dispose()
        thread.shutdown(.drop)
    }

    @Test func overflowErrorTakesOneStepAfterWaitingElements() {
        let source = scheduler.hot("{10}(123)")
        let observer = scheduler.start { source.observe(on: scheduler, buffering: .failing(2)) }
        #expect(observer.events.map(\.time) == [211, 212, 213])
    }

    @Test func aZipThatDropsDoesNotPauseItsSource() {
        let source = scheduler.createPausableObservable("-1-2-3", of: Int.self)
        _ = scheduler.start { Observable.zip(source, Observable<Int>.never(), buffering: .oldest(1)) { $0 + $1 } }
        source.expectSignals("")
    }

    @Test func boundOfZipDoesNotApplyToZipAbove() {
        let never = Observable<Int>.never()
        let subscription = Observable.zip(Observable.zip(subject, never) { $0 + $1 }, never, buffering: .failing(1)) {
            $0 + $1
        }
        .note(in: log)
        for element in 1...3 { subject.onNext(element) }
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func aZipWithABoundFailsWithTheErrorOfASource() {
        let subscription = Observable.zip(subject, Observable<Int>.never(), buffering: .pausing(1)) { $0 + $1 }
            .note(in: log)
        subject.onError(TestError.a)
        #expect(log.text == "error(a)")
        subscription.dispose()
    }

    @Test func theBoundOfASubscriptionHoldsAboveAZipThatHasItsOwn() {
        let hop = subject.observe(on: scheduler)
        let subscription = Observable.zip(hop, Observable<Int>.never(), buffering: .pausing(9)) { $0 + $1 }.bounded(2)
            .note(in: log)
        for element in 1...3 { subject.onNext(element) }
        scheduler.start()
        #expect(log.text.hasPrefix("error(observe(on:) is full: 2 elements are waiting"))
        subscription.dispose()
    }

    @Test func concatOnImmediateSchedulerIsPausedAgainAfterResume() {
        nonisolated(unsafe) var (ahead, most) = (0, 0)
        let row = (1...30).map { number in
            Observable.just(number).map { number in
                ahead += 1
                most = max(most, ahead)
                return number
            }
        }
        let subscription = Observable.concat(row).subscribe(on: AtOnce()).observe(on: scheduler).bounded(2)
            .do(onNext: { _ in ahead -= 1 }).toArray().subscribe(onSuccess: { [log] in log($0.count) })
        scheduler.start()
        #expect(log.text == "30" && most == 3)
        subscription.dispose()
    }

    struct CoreLevel {}

    @Test func overflowNamesSubjectWhoseElementTypeIsNamedCore() {
        let source = PublishSubject<CoreLevel>()
        let subscription = source.observe(on: scheduler, buffering: .failing(1)).subscribe(onError: { [log] error in
            if case .overflow(_, _, let name)? = error as? FlowError { log(name) }
        })
        for _ in 0..<3 { source.onNext(CoreLevel()) }
        scheduler.start()
        #expect(log.text == "PublishSubject<CoreLevel>")
        subscription.dispose()
    }

    @Test(arguments: ["concatMap", "concat", "merge(maxConcurrent:)"])
    func sequencesThatWaitOverflowUnderTheNameOfTheirOperator(name: String) {
        let source = PublishSubject<Int>()
        let inOrder: Observable<Int> =
            switch name {
            case "concatMap": source.concatMap { _ in Observable.never() }
            case "concat": source.map { _ in Observable.never() }.concat()
            default: source.map { _ in Observable.never() }.merge(maxConcurrent: 1)
            }
        let subscription = inOrder.bounded(1).subscribe(onError: { [log] error in
            if case .overflow(let boundary, let limit, _)? = error as? FlowError { log("\(boundary) \(limit)") }
        })
        for number in 0..<3 { source.onNext(number) }
        #expect(log.text == "\(name) 1")
        subscription.dispose()
    }
}

private struct AtOnce: ImmediateSchedulerType {
    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        action(state)
    }
}
