import RxSwift
import TestSupport
import Testing

struct CurrentThreadSchedulerTests {
    private let log = Log()
    private let scheduler = CurrentThreadScheduler.instance

    private func noting(
        _ name: String, _ body: @escaping @Sendable () -> Void = {}
    ) -> @Sendable (()) -> any Disposable {
        let log = log
        return { _ in
            log(name)
            body()
            return Disposables.create()
        }
    }

    @Test func runsAtOnceThenInOrder() {
        _ = scheduler.schedule(
            (),
            action: noting("a") { [self] in
                _ = scheduler.schedule((), action: noting("b") { _ = scheduler.schedule((), action: noting("d")) })
                _ = scheduler.schedule((), action: noting("c"))
                log("a'")
            })
        log("then")
        #expect(log.text == "a a' b c d then")
    }

    @Test func isScheduleRequiredReflectsRunningTrampoline() {
        let log = log
        log(CurrentThreadScheduler.isScheduleRequired)
        _ = scheduler.schedule(()) { _ in
            log(CurrentThreadScheduler.isScheduleRequired)
            try? runOnThread { log(CurrentThreadScheduler.isScheduleRequired) }
            return Disposables.create()
        }
        log(CurrentThreadScheduler.isScheduleRequired)
        #expect(log.text == "true false true true")
    }

    /// As in RxSwift, these sources skip the trampoline.
    @Test func trampolineSkippedForImmediateEndAndReplayedElements() {
        let (replay, async, publish) = (
            ReplaySubject<Int>.create(bufferSize: 1), AsyncSubject<Int>(), PublishSubject<Int>()
        )
        replay.onNext(1)
        async.onNext(1)
        async.onCompleted()
        publish.onCompleted()
        let (replayed, shared) = (replay.replay(1), replay.share(replay: 1))
        let subscriptions = [replayed.connect(), shared.subscribe()]
        func runs(for source: Observable<Int>) -> Bool {
            nonisolated(unsafe) var runs: Bool?
            source.subscribe { _ in runs = runs ?? !CurrentThreadScheduler.isScheduleRequired }.dispose()
            return runs ?? true
        }
        #expect(!runs(for: .just(1)))
        #expect(!runs(for: .empty()))
        #expect(!runs(for: .error(TestError.a)))
        #expect(!runs(for: BehaviorSubject(value: 1)))
        #expect(!runs(for: replay))
        #expect(!runs(for: async))
        #expect(!runs(for: publish))
        #expect(!runs(for: replayed))
        #expect(!runs(for: shared))
        #expect(runs(for: .of(1, 2)))
        #expect(runs(for: Observable.just(1).map { $0 }))
        subscriptions.forEach { $0.dispose() }
    }

    @Test func actionDisposedBeforeItsTurnDoesNotRun() {
        let tracker = LifetimeTracker()
        _ = scheduler.schedule(()) { [self] _ in
            let disposed = scheduler.schedule(tracker.make()) { [log] _ in
                log("no")
                return Disposables.create()
            }
            _ = scheduler.schedule((), action: noting("yes"))
            disposed.dispose()
            #expect(tracker.live == 0)
            return Disposables.create()
        }
        #expect(log.text == "yes")
    }

    @Test func disposalDisposesResultOfAction() throws {
        nonisolated(unsafe) var queued: (any Disposable)?
        _ = scheduler.schedule(()) { [self] _ in
            queued = scheduler.schedule(()) { [log] _ in Disposables.create { log("c-") } }
            return Disposables.create { [log] in log("a-") }
        }
        log("then")
        try #require(queued).dispose()
        #expect(log.text == "then c-")
    }

    @Test func recursesInOrder() {
        _ = scheduler.scheduleRecursive(0) { [log] (count: Int, again: (Int) -> Void) in
            log(count)
            if count < 2 {
                again(count + 1)
                again(count + 10)
            }
        }
        #expect(log.text == "0 1 10 2 11")
    }

    @Test func recursionsAlternate() {
        let log = log
        _ = scheduler.schedule(()) { [scheduler] _ in
            for name in ["a", "b"] {
                _ = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
                    log("\(name)\(count)")
                    if count < 2 { again(count + 1) }
                }
            }
            return Disposables.create()
        }
        #expect(log.text == "a0 b0 a1 b1 a2 b2")
    }

    @Test func recursesDeeplyOnASmallStack() throws {
        let steps = try runOnThread(stackSize: 512 * 1024) { [scheduler] in
            nonisolated(unsafe) var steps = 0
            _ = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
                steps += 1
                if count < 1_000_000 { again(count + 1) }
            }
            return steps
        }
        #expect(steps == 1_000_001)
    }

    @Test func disposedRecursionEnds() {
        let log = log
        _ = scheduler.schedule(()) { [scheduler] _ in
            nonisolated(unsafe) var recursion: (any Disposable)?
            recursion = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
                log(count)
                again(count + 1)
                if count == 2 { recursion?.dispose() }
            }
            return Disposables.create()
        }
        #expect(log.text == "0 1 2")
    }

    @Test func freesARecursionThatHasEnded() {
        let tracker = LifetimeTracker()
        let recursion = scheduler.scheduleRecursive(0) { [held = tracker.make()] (count: Int, again: (Int) -> Void) in
            if count < 2 { again(held.value + count + 1) }
        }
        withExtendedLifetime(recursion) { #expect(tracker.live == 0) }
    }

    @Test func disposedRecursionIsFreed() {
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var recursion: (any Disposable)?
        _ = scheduler.schedule(()) { [scheduler] _ in
            recursion = scheduler.scheduleRecursive(0) { [held = tracker.make()] (count: Int, again: (Int) -> Void) in
                again(held.value + count + 1)
                if count == 2 { recursion?.dispose() }
            }
            return Disposables.create()
        }
        withExtendedLifetime(recursion) { #expect(tracker.live == 0) }
    }

    @Test(arguments: [false, true], 0..<3)
    func recursionDisposedBetweenStepsIsFreedAtOnce(elsewhere: Bool, steps: Int) {
        let tracker = LifetimeTracker()
        _ = scheduler.schedule(()) { [scheduler, log] _ in
            nonisolated(unsafe) var recursion: (any Disposable)?
            // The trampoline runs a step of this recursion and a step of `recursion` in turn.
            _ = scheduler.scheduleRecursive(0) { (turn: Int, again: (Int) -> Void) in
                if turn < steps { return again(turn + 1) }
                if elsewhere { _ = try? runOnThread { recursion?.dispose() } } else { recursion?.dispose() }
                #expect(tracker.live == 0)
            }
            recursion = scheduler.scheduleRecursive(tracker.make()) { [held = tracker.make()] state, again in
                log(held.value)
                again(state)
            }
            return Disposables.create()
        }
        #expect(log.entries.count == steps)
    }

    @Test func recursionDisposedWithinStepIsFreedAtEndOfStep() {
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var recursion: (any Disposable)?
        _ = scheduler.schedule(()) { [scheduler, log] _ in
            recursion = scheduler.scheduleRecursive(tracker.make()) { [held = tracker.make()] state, again in
                again(tracker.make())
                _ = try? runOnThread { recursion?.dispose() }
                again(state)
                log(tracker.live + held.value)
            }
            _ = scheduler.schedule(()) { _ in
                log(tracker.live)
                return Disposables.create()
            }
            return Disposables.create()
        }
        withExtendedLifetime(recursion) { #expect(log.text == "3 0") }
    }

    @Test func aRecursionIsFreedBehindTheLastOfItsStepsOnTwoThreads() {
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var recursion: (any Disposable)?
        _ = scheduler.schedule(()) { [scheduler, log] _ in
            recursion = scheduler.scheduleRecursive(tracker.make(0)) { [held = tracker.make()] state, again in
                log(state.value + held.value)
                if state.value == 1 { recursion?.dispose() }
                guard state.value == 0 else { return }
                again(tracker.make(2))
                withoutActuallyEscaping(again) { again in _ = try? runOnThread { again(tracker.make(1)) } }
                log("\(tracker.live) live")
            }
            return Disposables.create()
        }
        withExtendedLifetime(recursion) { #expect(log.text == "0 1 3 live" && tracker.live == 0) }
    }

    /// A bag releases the recursion only if `isDisposed` is true.
    @Test func endedRecursionIsDisposed() {
        let recursion = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
            if count < 2 { again(count + 1) }
        }
        #expect((recursion as? any Cancelable)?.isDisposed == true)
    }

    @Test func aRecursionThatWaitsOrRunsIsNotDisposed() {
        let log = log
        _ = scheduler.schedule(()) { [scheduler] _ in
            nonisolated(unsafe) var recursion: (any Disposable)?
            @Sendable func note() { log((recursion as? any Cancelable)?.isDisposed == false) }
            recursion = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
                note()
                if count < 1 { again(count + 1) }
            }
            note()
            return Disposables.create()
        }
        #expect(log.text == "true true true")
    }
}
