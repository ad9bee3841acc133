import CRxCore
import Dispatch
import TestSupport
import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct PthreadSchedulerTests {
    private func finish(_ scheduler: PthreadScheduler) throws {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }

    @Test func staysOnOneThread() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        for _ in 0..<100 {
            _ = scheduler.schedule(()) { _ in
                log(pthread_self())
                return Disposables.create()
            }
            try finish(scheduler)
        }
        #expect(Set(log.entries).count == 1)
    }

    private func block(_ scheduler: PthreadScheduler, _ log: Log) throws -> DispatchSemaphore {
        let go = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            begun.signal()
            go.wait()
            return Disposables.create()
        }
        for index in 0..<3 {
            _ = scheduler.schedule(index) { index in
                log(index)
                return Disposables.create()
            }
        }
        try wait(for: begun)
        return go
    }

    @Test func shutdownRunsPendingActions() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        let go = try block(scheduler, log)
        DispatchQueue.global().async { go.signal() }
        scheduler.shutdown()
        #expect(log.text == "0 1 2")
    }

    @Test func shutdownRunsManyPendingActions() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        let go = try block(scheduler, log)
        let (count, ran) = (20_000, Guarded(0))
        for _ in 0..<count {
            _ = scheduler.schedule(()) { _ in
                ran.withLock { $0 += 1 }
                return Disposables.create()
            }
        }
        try runOnThread {
            DispatchQueue.global().async {
                // The scheduler refuses timers once the shutdown has begun.
                while !(scheduler.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() }
                    as! any Cancelable)
                    .isDisposed
                {}
                go.signal()
            }
            scheduler.shutdown(.drain)
        }
        #expect(ran.withLock { $0 } == count)
    }

    @Test func lastJobsBeforeShutdownRunBehindManyJobs() throws {
        let scheduler = PthreadScheduler()
        let (log, running, go) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        _ = scheduler.schedule(()) { _ in
            running.signal()
            go.wait()
            return Disposables.create()
        }
        // The thread is blocked, so it dequeues all later jobs together.
        try wait(for: running)
        _ = scheduler.schedule(()) { _ in
            for index in 0..<4 {
                _ = scheduler.schedule(()) { _ in
                    log(index)
                    return Disposables.create()
                }
            }
            scheduler.shutdown(.drain)
            return Disposables.create()
        }
        for _ in 0..<20_000 { _ = scheduler.schedule(()) { _ in Disposables.create() } }
        go.signal()
        scheduler.shutdown()
        #expect(log.text == "0 1 2 3")
    }

    /// An action runs only if it arrives before the thread notices the shutdown.
    @Test func actionsScheduledDuringShutdownMostlyDoNotRun() throws {
        let scheduler = PthreadScheduler()
        let (count, ran, done) = (20_000, Guarded(0), DispatchSemaphore(value: 0))
        let go = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            go.wait()
            scheduler.shutdown(.drain)
            return Disposables.create()
        }
        for index in 0..<count {
            _ = scheduler.schedule(()) { _ in
                for _ in 0..<2 {
                    _ = scheduler.schedule(()) { _ in
                        ran.withLock { $0 += 1 }
                        return Disposables.create()
                    }
                }
                if index == count - 1 { done.signal() }
                return Disposables.create()
            }
        }
        go.signal()
        try wait(for: done)
        scheduler.shutdown()
        #expect(ran.withLock { $0 } < count)
    }

    @Test func shutdownEndsEndlessRecursion() throws {
        let scheduler = PthreadScheduler(name: "rx-endless")
        let begun = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
        let recursion = scheduler.scheduleRecursive(0) { step, again in
            if step == 0 { begun.signal() }
            again(step + 1)
        }
        defer { recursion.dispose() }
        try wait(for: begun)
        DispatchQueue.global().async {
            scheduler.shutdown(.drain)
            ended.signal()
        }
        try wait(for: ended)
        #expect(areGone(threadsNamed: "rx-endless"))
    }

    @Test func droppingShutdownFreesPendingActions() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        let tracker = LifetimeTracker()
        let go = try block(scheduler, log)
        let waiting = scheduler.schedule(tracker.make()) { _ in Disposables.create() }
        let joined = DispatchSemaphore(value: 0)
        try runOnThread {
            DispatchQueue.global().async {
                scheduler.shutdown(.drop)
                joined.signal()
            }
            // The scheduler refuses timers once the shutdown has begun.
            while !(scheduler.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() }
                as! any Cancelable).isDisposed
            {}
            go.signal()
        }
        try wait(for: joined)
        #expect(log.text == "" && tracker.live == 0)
        withExtendedLifetime(waiting) {}
    }

    @Test(arguments: [[.drain, .drop], [.drop, .drain]] as [[PendingWork]])
    func dropPrevailsAmongSeveralShutdowns(shutdowns: [PendingWork]) throws {
        let (scheduler, log, go) = (PthreadScheduler(), Log(), DispatchSemaphore(value: 0))
        _ = scheduler.schedule(()) { _ in
            go.wait()
            shutdowns.forEach { scheduler.shutdown($0) }
            return Disposables.create()
        }
        _ = scheduler.schedule(()) { _ in
            log("ran")
            return Disposables.create()
        }
        go.signal()
        scheduler.shutdown()
        #expect(log.text == "")
    }

    @Test func joinsItsThreadAtAShutdown() throws {
        let before = threads(named: "rx-joined")
        for pending in [PendingWork.drain, .drop] {
            let scheduler = PthreadScheduler(name: "rx-joined")
            try finish(scheduler)
            #expect(threads(named: "rx-joined") == 1)
            scheduler.shutdown(pending)
            scheduler.shutdown()
            #expect(areGone(threadsNamed: "rx-joined"))
        }
        #expect(before == 0)
    }

    @Test func isShutDownFromItsOwnThread() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        _ = scheduler.schedule(()) { _ in
            scheduler.shutdown()
            _ = scheduler.schedule(()) { _ in
                log("behind it")
                return Disposables.create()
            }
            return Disposables.create()
        }
        scheduler.shutdown()
        _ = scheduler.schedule(()) { _ in
            log("after it")
            return Disposables.create()
        }
        #expect(!log.text.contains("after it"))
    }

    @Test func shutsDownForSeveralThreadsAtOnce() throws {
        for _ in 0..<50 {
            let scheduler = PthreadScheduler(name: "rx-several")
            let tracker = LifetimeTracker()
            try runConcurrently(threads: 4) { thread in
                for index in 0..<20 {
                    _ = scheduler.schedule(tracker.make()) { _ in Disposables.create() }
                    _ = scheduler.scheduleRelative(tracker.make(), dueTime: .microseconds(index * 20)) { _ in
                        Disposables.create()
                    }
                }
                scheduler.shutdown(thread % 2 == 0 ? .drain : .drop)
            }
            #expect(areGone(threadsNamed: "rx-several"))
            #expect(tracker.live == 0)
        }
    }

    @Test func shutdownFreesTimersAndLaterActions() throws {
        let scheduler = PthreadScheduler()
        let tracker = LifetimeTracker()
        let timer = scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(1_000)) { _ in Disposables.create() }
        let ticks = scheduler.schedulePeriodic(tracker.make(), startAfter: .seconds(1_000), period: .seconds(1)) { $0 }
        scheduler.shutdown()
        #expect(tracker.live == 0)
        let late = [
            scheduler.schedule(tracker.make()) { _ in Disposables.create() },
            scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(0)) { _ in Disposables.create() },
            scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(1)) { _ in Disposables.create() },
            scheduler.schedulePeriodic(tracker.make(), startAfter: .seconds(1), period: .seconds(1)) { $0 },
        ]
        #expect(tracker.live == 0)
        withExtendedLifetime((timer, ticks, late)) {}
    }

    private static let waiting: [@Sendable (PthreadScheduler) -> Observable<Int>] = [
        { .timer(.seconds(1_000), scheduler: $0) },
        { Observable.of(1, 2).delay(.seconds(1_000), scheduler: $0) },
        { Observable.of(1, 2).delaySubscription(.seconds(1_000), scheduler: $0) },
        { Observable.of(1, 2).throttle(.seconds(1_000), scheduler: $0) },
    ]

    @Test(arguments: waiting.indices) func shutdownFreesChainsWaitingForTimer(index: Int) {
        let (scheduler, tracker) = (PthreadScheduler(), LifetimeTracker())
        let subscription = Self.waiting[index](scheduler).subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        #expect(tracker.live == 1)
        scheduler.shutdown()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func recursionScheduledAfterShutdownIsFreed() throws {
        let (scheduler, tracker) = (PthreadScheduler(), LifetimeTracker())
        scheduler.shutdown()
        let recursion = scheduler.scheduleRecursive(0) { [held = tracker.make()] (_: Int, _: (Int) -> Void) in
            _ = held
        }
        #expect(tracker.live == 0)
        #expect(try #require(recursion as? any Cancelable).isDisposed)
    }

    @Test func recursionWithDroppedStepIsFreed() throws {
        let (scheduler, tracker, log) = (PthreadScheduler(), LifetimeTracker(), Log())
        let recursion = scheduler.scheduleRecursive(0) { [held = tracker.make()] step, again in
            log(step)
            scheduler.shutdown(.drop)
            again(step + 1)
            _ = held
        }
        scheduler.shutdown()
        #expect(log.text == "0")
        #expect(tracker.live == 0)
        #expect(try #require(recursion as? any Cancelable).isDisposed)
    }

    @Test func loopStartedAfterShutdownIsFreed() {
        let (scheduler, tracker) = (PthreadScheduler(), LifetimeTracker())
        scheduler.shutdown()
        let subscription = Observable.range(start: 0, count: 9, scheduler: scheduler)
            .subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func releasedSchedulerRunsPendingTimer() throws {
        let done = DispatchSemaphore(value: 0)
        _ = PthreadScheduler().scheduleRelative((), dueTime: .milliseconds(5)) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }

    @Test func releasedSchedulerWithDisposedTimersEndsThread() throws {
        let tracker = LifetimeTracker()
        let ended = DispatchSemaphore(value: 0)
        var scheduler: PthreadScheduler? = PthreadScheduler()
        let key = UnsafeMutablePointer<pthread_key_t>.allocate(capacity: 1)
        pthread_key_create(key) { Unmanaged<LifetimeTracker.Tracked>.fromOpaque($0!).release() }
        _ = scheduler!.schedule(tracker.make { ended.signal() }) { [key = key.pointee] held in
            pthread_setspecific(key, Unmanaged.passRetained(held).toOpaque())
            return Disposables.create()
        }
        let timer = scheduler!.schedulePeriodic(0, startAfter: .seconds(1_000), period: .seconds(1)) { $0 }
        try finish(scheduler!)
        scheduler = nil
        // Gives the thread time to fall asleep. If it stays awake, the test may miss a fault, but does not fail.
        usleep(20_000)
        timer.dispose()
        try wait(for: ended)
        key.deallocate()
    }

    /// The thread ends only if no timer is pending.
    @Test func releasedSchedulerEndsThreadAfterPeriodDisposedInRun() throws {
        var scheduler: PthreadScheduler? = PthreadScheduler(name: "rx-periods")
        for _ in 0..<10 {
            let running = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
            let ticks = scheduler!.schedulePeriodic(0, startAfter: .nanoseconds(0), period: .seconds(1_000)) { state in
                running.signal()
                end.wait()
                return state + 1
            }
            try wait(for: running)
            // While this thread holds the lock, the next span cannot start. After the release, `dispose` usually
            // acquires the lock first.
            crx_lock_acquire(&TimerService.shared.pointee.lock)
            end.signal()
            usleep(2_000)
            crx_lock_release(&TimerService.shared.pointee.lock)
            ticks.dispose()
        }
        scheduler = nil
        #expect(areGone(threadsNamed: "rx-periods"))
    }

    @Test func disposedTimersAreFreed() throws {
        let scheduler = PthreadScheduler()
        let tracker = LifetimeTracker()
        for _ in 0..<100_000 {
            scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(1_000)) { _ in Disposables.create() }.dispose()
        }
        try finish(scheduler)
        #expect(tracker.live == 0)
    }

    @Test func releasedSchedulerAfterShutdownIsFreed() {
        weak var worker: JobQueue?
        do {
            let scheduler = PthreadScheduler(name: "rx-left")
            worker = scheduler.jobQueue
            scheduler.shutdown()
        }
        #expect(comesTrue { worker == nil })
    }
}

/// Whether the threads are gone soon. A busy kernel may still list threads that have ended.
func areGone(threadsNamed name: String) -> Bool {
    comesTrue { threads(named: name) == 0 }
}

func threads(named name: String) -> Int {
    threadNames().count { $0.hasPrefix(name) }
}
