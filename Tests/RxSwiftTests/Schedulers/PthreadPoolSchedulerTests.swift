import Dispatch
import RxSwift
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct PthreadPoolSchedulerTests {
    private final class Blocker: Sendable {
        let begun = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)

        func occupy(_ scheduler: PthreadPoolScheduler, threads: Int) throws {
            for _ in 0..<threads {
                _ = scheduler.schedule(self) { blocker in
                    blocker.begun.signal()
                    blocker.go.wait()
                    return Disposables.create()
                }
            }
            for _ in 0..<threads { try wait(for: begun) }
        }

        func release(_ threads: Int) {
            for _ in 0..<threads { go.signal() }
        }
    }

    private func schedule(_ count: Int, on scheduler: PthreadPoolScheduler, _ log: Log) {
        for index in 0..<count {
            _ = scheduler.schedule(index) { index in
                log(index)
                return Disposables.create()
            }
        }
    }

    @Test func startsThreadsOnlyForWork() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-lazy", maxThreads: 4)
        #expect(scheduler.threadCount == 0)
        let blocker = Blocker()
        for count in 1...3 {
            try blocker.occupy(scheduler, threads: 1)
            #expect(scheduler.threadCount == count)
            // While threads end, the kernel's list may omit other threads for a moment.
            #expect(comesTrue { threads(named: "rx-lazy") == count })
        }
        blocker.release(3)
        scheduler.shutdown()
        #expect(scheduler.threadCount == 0 && areGone(threadsNamed: "rx-lazy"))
    }

    @Test func poolNeverExceedsItsThreadLimit() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 3)
        let running = Guarded((now: 0, most: 0, done: 0))
        for _ in 0..<300 {
            _ = scheduler.schedule(()) { _ in
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                sched_yield()
                running.withLock {
                    $0.now -= 1
                    $0.done += 1
                }
                return Disposables.create()
            }
            #expect(scheduler.threadCount <= 3)
        }
        scheduler.shutdown()
        #expect(running.withLock { $0.most } <= 3 && running.withLock { $0.done } == 300)
    }

    @Test func beginsInTheOrderOfScheduling() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let log = Log()
        schedule(1_000, on: scheduler, log)
        scheduler.shutdown()
        #expect(log.entries == (0..<1_000).texts)
    }

    @Test func runsPiecesAtOnce() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 2)
        let here = DispatchSemaphore(value: 0), there = DispatchSemaphore(value: 0)
        let results = Log()
        _ = scheduler.schedule(()) { _ in
            here.signal()
            results(there.wait(timeout: .now() + 30))
            return Disposables.create()
        }
        _ = scheduler.schedule(()) { _ in
            there.signal()
            results(here.wait(timeout: .now() + 30))
            return Disposables.create()
        }
        scheduler.shutdown()
        #expect(results.text == "success success")
    }

    @Test func idleThreadsEnd() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-idle", maxThreads: 4, idleTime: .milliseconds(1))
        let blocker = Blocker()
        for _ in 0..<3 {
            try blocker.occupy(scheduler, threads: 4)
            blocker.release(4)
            let patience = DispatchTime.now() + 30
            while scheduler.threadCount > 0 && .now() < patience { usleep(500) }
            #expect(scheduler.threadCount == 0)
        }
        scheduler.shutdown()
        #expect(areGone(threadsNamed: "rx-idle"))
    }

    @Test func threadOfEmptyChainQueueEnds() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 2, idleTime: .milliseconds(1))
        let (subject, delivered) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in delivered.signal() })
        subject.onNext(1)
        try wait(for: delivered)
        #expect(comesTrue { scheduler.threadCount == 0 })
        subscription.dispose()
        scheduler.shutdown()
    }

    @Test func threadsSleepingTogetherEnd() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-asleep", maxThreads: 3, idleTime: .milliseconds(200))
        let blocker = Blocker()
        try blocker.occupy(scheduler, threads: 3)
        // The jobs end one by one, so that the threads fall asleep one after the other.
        for _ in 0..<3 {
            blocker.release(1)
            usleep(20_000)
        }
        #expect(comesTrue { scheduler.threadCount == 0 })
        scheduler.shutdown()
    }

    @Test func actionScheduledAsThreadLeavesRuns() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 2, idleTime: .microseconds(100))
        let done = DispatchSemaphore(value: 0)
        for round in 0..<5_000 {
            _ = scheduler.schedule(()) { _ in
                done.signal()
                return Disposables.create()
            }
            try wait(for: done)
            let next = DispatchTime.now().uptimeNanoseconds + UInt64(50 + round % 200) * 1_000
            while DispatchTime.now().uptimeNanoseconds < next {}
        }
        scheduler.shutdown()
    }

    @Test func aShutdownAwaitsAThreadThatHasLeftAndIsStillEnding() throws {
        final class Keepsake {
            let isEnding = DispatchSemaphore(value: 0)
            let hasEnded = Guarded(false)
        }
        var key = pthread_key_t()
        pthread_key_create(&key) { held in
            nonisolated(unsafe) let keepsake = Unmanaged<Keepsake>.fromOpaque(held!).takeRetainedValue()
            keepsake.isEnding.signal()
            // A shutdown that does not wait would return now.
            usleep(100_000)
            keepsake.hasEnded.withLock { $0 = true }
        }
        defer { pthread_key_delete(key) }
        let scheduler = PthreadPoolScheduler(name: "rx-ending", maxThreads: 1, idleTime: .milliseconds(1))
        nonisolated(unsafe) let keepsake = Keepsake()
        _ = scheduler.schedule(()) { [key] _ in
            pthread_setspecific(key, Unmanaged.passRetained(keepsake).toOpaque())
            return Disposables.create()
        }
        try #require(keepsake.isEnding.wait(timeout: .now() + 30) == .success)
        scheduler.shutdown()
        #expect(keepsake.hasEnded.withLock { $0 })
    }

    @Test func actionDisposedBeforeItsTurnDoesNotRun() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let blocker = Blocker()
        let log = Log()
        let tracker = LifetimeTracker()
        try blocker.occupy(scheduler, threads: 1)
        let waiting = scheduler.schedule(tracker.make()) { _ in
            log("ran")
            return Disposables.create()
        }
        waiting.dispose()
        #expect(tracker.live == 0)
        blocker.release(1)
        scheduler.shutdown()
        #expect(log.text == "")
    }

    @Test func disposalDisposesResultOfAction() throws {
        let scheduler = PthreadPoolScheduler()
        let log = Log()
        let scheduled = scheduler.schedule(()) { _ in Disposables.create { log("disposed") } }
        scheduler.shutdown()
        #expect(log.text == "")
        scheduled.dispose()
        #expect(log.text == "disposed")
    }

    @Test func drainsAtAShutdown() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let blocker = Blocker()
        let log = Log()
        try blocker.occupy(scheduler, threads: 1)
        schedule(3, on: scheduler, log)
        DispatchQueue.global().async { blocker.release(1) }
        scheduler.shutdown(.drain)
        #expect(log.text == "0 1 2")
    }

    @Test func shutdownEndsPoolWithSelfFeedingChain() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-fed", maxThreads: 1)
        let begun = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { element in
            if element == 0 { begun.signal() }
            subject.onNext(element + 1)
        })
        defer { subscription.dispose() }
        subject.onNext(0)
        try wait(for: begun)
        DispatchQueue.global().async {
            scheduler.shutdown(.drain)
            ended.signal()
        }
        try wait(for: ended)
        #expect(areGone(threadsNamed: "rx-fed"))
    }

    @Test func droppingShutdownFreesPendingActions() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 2)
        let blocker = Blocker()
        let log = Log()
        let tracker = LifetimeTracker()
        try blocker.occupy(scheduler, threads: 2)
        schedule(3, on: scheduler, log)
        let kept = [
            scheduler.schedule(tracker.make()) { _ in Disposables.create() },
            scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(1_000)) { _ in Disposables.create() },
            scheduler.schedulePeriodic(tracker.make(), startAfter: .seconds(1_000), period: .seconds(1)) { $0 },
        ]
        let joined = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            scheduler.shutdown(.drop)
            joined.signal()
        }
        let patience = DispatchTime.now() + 30
        while tracker.live > 0 && .now() < patience { usleep(500) }
        #expect(tracker.live == 0, "what was dropped is freed, though threads still run")
        blocker.release(2)
        try wait(for: joined)
        #expect(log.text == "" && scheduler.threadCount == 0)
        withExtendedLifetime(kept) {}
    }

    @Test func droppingShutdownStartsNoJobBehindADroppedOne() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let (blocker, tracker, log, isOver) = (Blocker(), LifetimeTracker(), Log(), DispatchSemaphore(value: 0))
        try blocker.occupy(scheduler, threads: 1)
        // When the first job is dropped, `onDeinit` unblocks the thread, and waits until the second job has run or been
        // dropped.
        func add(onDeinit: @escaping @Sendable () -> Void) {
            _ = scheduler.schedule(tracker.make(onDeinit: onDeinit)) { _ in
                log("ran")
                return Disposables.create()
            }
        }
        add {
            blocker.release(1)
            isOver.wait()
        }
        add { isOver.signal() }
        scheduler.shutdown(.drop)
        #expect(log.text == "")
    }

    @Test(arguments: [[.drain, .drop], [.drop, .drain]] as [[PendingWork]])
    func dropPrevailsAmongSeveralShutdowns(shutdowns: [PendingWork]) throws {
        let (scheduler, blocker, log) = (PthreadPoolScheduler(maxThreads: 1), Blocker(), Log())
        let (subject, isShutDown) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { element in
            log(element)
            shutdowns.forEach { scheduler.shutdown($0) }
            isShutDown.signal()
        })
        try blocker.occupy(scheduler, threads: 1)
        for element in 0..<1_000 { subject.onNext(element) }
        blocker.release(1)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            isShutDown.wait()
            scheduler.shutdown()
            done.signal()
        }
        try wait(for: done)
        #expect(log.text == "0")
        subscription.dispose()
    }

    @Test func actionsScheduledAfterShutdownAreFreed() {
        let scheduler = PthreadPoolScheduler()
        let tracker = LifetimeTracker()
        scheduler.shutdown()
        let late = [
            scheduler.schedule(tracker.make()) { _ in Disposables.create() },
            scheduler.scheduleRelative(tracker.make(), dueTime: .milliseconds(1)) { _ in Disposables.create() },
            scheduler.schedulePeriodic(tracker.make(), startAfter: .seconds(0), period: .seconds(1)) { $0 },
        ]
        #expect(tracker.live == 0 && scheduler.threadCount == 0)
        withExtendedLifetime(late) {}
    }

    @Test func isShutDownFromItsOwnThreads() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-own", maxThreads: 2)
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            scheduler.shutdown()
            log("returned")
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
        scheduler.shutdown()
        #expect(log.text == "returned" && areGone(threadsNamed: "rx-own"))
    }

    @Test func releasedSchedulerRunsPendingActions() throws {
        let done = DispatchSemaphore(value: 0)
        var scheduler: PthreadPoolScheduler? = PthreadPoolScheduler(name: "rx-letgo", maxThreads: 2)
        for milliseconds in [0, 5] {
            _ = scheduler!.scheduleRelative((), dueTime: .milliseconds(milliseconds)) { _ in
                done.signal()
                return Disposables.create()
            }
        }
        scheduler = nil
        for _ in 0..<2 { try wait(for: done) }
        let patience = DispatchTime.now() + 30
        while threads(named: "rx-letgo") > 0 && .now() < patience { usleep(500) }
        #expect(areGone(threadsNamed: "rx-letgo"))
    }

    /// If the thread is still awake at the release, the test may miss a fault, but does not fail.
    @Test func releasedSchedulerWithSleepingThreadsFiresTimer() throws {
        let done = DispatchSemaphore(value: 0)
        var scheduler: PthreadPoolScheduler? = PthreadPoolScheduler(name: "rx-slept", maxThreads: 2)
        for milliseconds in [0, 60] {
            _ = scheduler!.scheduleRelative((), dueTime: .milliseconds(milliseconds)) { _ in
                done.signal()
                return Disposables.create()
            }
        }
        try wait(for: done)
        usleep(20_000)
        scheduler = nil
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(areGone(threadsNamed: "rx-slept"))
    }

    @Test func ticksOneAtATime() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 4)
        let state = Guarded((running: 0, most: 0))
        let done = DispatchSemaphore(value: 0)
        let ticks = scheduler.schedulePeriodic(0, startAfter: .seconds(0), period: .microseconds(100)) { count in
            state.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
            usleep(1_000)
            state.withLock { $0.running -= 1 }
            if count == 20 { done.signal() }
            return count + 1
        }
        try wait(for: done)
        ticks.dispose()
        scheduler.shutdown()
        #expect(state.withLock { $0.most } == 1)
    }

    @Test func deliversAChainInOrder() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 4)
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        let subscription = Observable.range(start: 0, count: 5_000).observe(on: scheduler)
            .subscribe(onNext: { log($0) }, onCompleted: { done.signal() })
        try wait(for: done)
        #expect(log.entries == (0..<5_000).texts)
        subscription.dispose()
    }

    @Test func droppingShutdownFreesQueuedElements() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let blocker = Blocker()
        let tracker = LifetimeTracker()
        let subject = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = subject.observe(on: scheduler).subscribe()
        try blocker.occupy(scheduler, threads: 1)
        for index in 0..<10 { subject.onNext(tracker.make(index)) }
        let joined = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            scheduler.shutdown(.drop)
            joined.signal()
        }
        let patience = DispatchTime.now() + 30
        while tracker.live > 0 && .now() < patience { usleep(500) }
        #expect(tracker.live == 0)
        blocker.release(1)
        try wait(for: joined)
        subject.onNext(tracker.make())
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func drainsAChainAtAShutdown() throws {
        struct Large {
            let words = SIMD64<Int>()
        }
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let blocker = Blocker()
        let count = Guarded((elements: 0, ends: 0))
        let subject = PublishSubject<Large>()
        let subscription = subject.observe(on: scheduler)
            .subscribe(
                onNext: { _ in count.withLock { $0.elements += 1 } }, onCompleted: { count.withLock { $0.ends += 1 } })
        try blocker.occupy(scheduler, threads: 1)
        for _ in 0..<10_000 { subject.onNext(Large()) }
        subject.onCompleted()
        DispatchQueue.global().async { blocker.release(1) }
        scheduler.shutdown(.drain)
        #expect(count.withLock { $0 } == (10_000, 1))
        subscription.dispose()
    }

    /// When a chain's turn ends, the chain waits behind the enqueued jobs.
    @Test func otherWorkHasItsTurnAmongTheElementsOfAChain() throws {
        let scheduler = PthreadPoolScheduler(maxThreads: 1)
        let blocker = Blocker()
        let (delivered, seen) = (Guarded(0), Guarded(0))
        // The elements are so large that each has its own job.
        let subject = PublishSubject<SIMD64<Int32>>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in delivered.withLock { $0 += 1 } })
        try blocker.occupy(scheduler, threads: 1)
        for _ in 0..<10_000 { subject.onNext(SIMD64()) }
        _ = scheduler.schedule(()) { _ in
            let before = delivered.withLock { $0 }
            seen.withLock { $0 = before }
            return Disposables.create()
        }
        blocker.release(1)
        // Before each job of `drain`, the chain delivers for one turn.
        for _ in 0..<4 { drain(scheduler) }
        #expect(seen.withLock { $0 } < 10_000 && delivered.withLock { $0 } == 10_000)
        subject.onNext(SIMD64())
        drain(scheduler)
        #expect(delivered.withLock { $0 } == 10_001)
        subscription.dispose()
        scheduler.shutdown()
    }

    /// Linux keeps 15 bytes of a thread's name.
    @Test(arguments: [("rx-name-of-many-letters", "rx-name-of-ma"), ("rx-größenlöser", "rx-größenl")])
    func truncatedThreadNameKeepsNumber(_ name: String, _ begin: String) throws {
        let scheduler = PthreadPoolScheduler(name: name, maxThreads: 2)
        let blocker = Blocker()
        try blocker.occupy(scheduler, threads: 2)
        #expect(threadNames().filter { $0.hasPrefix(begin) } == ["\(begin)-1", "\(begin)-2"])
        blocker.release(2)
        scheduler.shutdown()
    }

    @Test func survivesARaceOfEverything() throws {
        for round in 0..<40 {
            let scheduler = PthreadPoolScheduler(
                name: "rx-race", maxThreads: 3, idleTime: .microseconds(round % 3 * 50))
            let tracker = LifetimeTracker()
            try runConcurrently(threads: 4) { thread in
                for index in 0..<50 {
                    let scheduled = scheduler.schedule(tracker.make()) { _ in Disposables.create() }
                    let timer = scheduler.scheduleRelative(tracker.make(), dueTime: .microseconds(index)) { held in
                        Disposables.create { _ = held }
                    }
                    if index % 3 == 0 { scheduled.dispose() }
                    if index % 2 == 0 { timer.dispose() }
                }
                if thread < 2 { scheduler.shutdown(thread == 0 ? .drain : .drop) }
            }
            scheduler.shutdown()
            #expect(tracker.live == 0 && areGone(threadsNamed: "rx-race"))
        }
    }

    @Test func shutdownAnywhereInLongQueueDeliversPrefix() throws {
        for round in 0..<10 {
            let scheduler = PthreadPoolScheduler(name: "rx-long", maxThreads: 2)
            // The elements are so large that each has its own job.
            let subject = PublishSubject<SIMD64<Int32>>()
            let seen = Guarded([Int32]())
            let isOver = Guarded(false)
            let subscription = subject.observe(on: scheduler).subscribe(onNext: { element in
                seen.withLock { $0.append(element[0]) }
            })
            try runConcurrently(threads: 2) { thread in
                if thread == 0 {
                    var index: Int32 = 0
                    while !isOver.withLock({ $0 }) {
                        subject.onNext(SIMD64(repeating: index))
                        index += 1
                    }
                } else {
                    usleep(UInt32(round * 400))
                    scheduler.shutdown(round % 2 == 0 ? .drain : .drop)
                    isOver.withLock { $0 = true }
                }
            }
            let elements = seen.withLock { $0 }
            #expect(elements == (0..<Int32(elements.count)).map { $0 } && areGone(threadsNamed: "rx-long"))
            subscription.dispose()
        }
    }

    /// Only one of the two threads may drop a chain's queue.
    @Test func droppingShutdownFreesQueueWhileSourcePushes() throws {
        /// The chain whose element is being freed.
        final class Turn: Sendable {
            let chain = Atomic(-1)
        }
        let chains = 2_000
        for _ in 0..<10 {
            let (scheduler, blocker, turn, tracker) = (
                PthreadPoolScheduler(maxThreads: 1), Blocker(), Turn(), LifetimeTracker()
            )
            try blocker.occupy(scheduler, threads: 1)
            let subjects = (0..<chains).map { _ in PublishSubject<LifetimeTracker.Tracked>() }
            let subscriptions = subjects.map { $0.observe(on: scheduler).subscribe() }
            for chain in 0..<chains {
                let first = tracker.make {
                    turn.chain.store(chain, ordering: .releasing)
                    // The delays vary, so that pushes arrive at different steps of the drop.
                    for _ in 0..<chain % 50 { _ = turn.chain.load(ordering: .acquiring) }
                }
                subjects[chain].onNext(first)
            }
            try runConcurrently(threads: 2) { thread in
                if thread == 0 { return scheduler.shutdown(.drop) }
                var last = -1
                while last < chains - 1 {
                    let chain = turn.chain.load(ordering: .acquiring)
                    if chain == last { continue }
                    last = chain
                    for _ in 0..<3 { subjects[chain].onNext(tracker.make()) }
                }
                blocker.release(1)
            }
            #expect(tracker.live == 0)
            subscriptions.forEach { $0.dispose() }
        }
    }

    @Test func fittingThreadNameIsKeptWhole() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-thirteen-b", maxThreads: 1)
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        _ = scheduler.schedule(()) { _ in
            log(threadName())
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
        scheduler.shutdown()
        #expect(log.text == "rx-thirteen-b-1")
    }

    @Test func idleThreadStaysForItsIdleTime() throws {
        let scheduler = PthreadPoolScheduler(name: "rx-stays", maxThreads: 1, idleTime: .seconds(1_000))
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        for _ in 0..<20 {
            _ = scheduler.schedule(()) { _ in
                log(threadName())
                done.signal()
                return Disposables.create()
            }
            try wait(for: done)
            // Gives the idle thread time to leave.
            usleep(5_000)
        }
        scheduler.shutdown()
        #expect(Set(log.entries) == ["rx-stays-1"])
    }

    @Test func needsAThread() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PthreadPoolScheduler(maxThreads: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A pool needs at least one thread (PthreadPoolScheduler, maxThreads: 0)"))
    }
}
