import Dispatch
import TestSupport
import Testing

@testable import RxSwift

/// The tests await, because the actors run on the threads of Swift's pool.
struct ActorSchedulerTests {
    private actor Ledger {
        private(set) var entries: [Int] = []
        private let bag = DisposeBag()
        private lazy var scheduler = ActorScheduler(self)
        private let tracked: LifetimeTracker.Tracked?

        init(_ tracked: LifetimeTracker.Tracked? = nil) {
            self.tracked = tracked
        }

        func enter(_ entry: Int) {
            entries.append(entry)
        }

        func follow(_ source: Observable<Int>) {
            source.observe(on: scheduler)
                .subscribe(onNext: { [weak self] entry in self?.assumeIsolated { $0.entries.append(entry) } })
                .disposed(by: bag)
        }
    }

    private enum Trace {
        @TaskLocal static var id = "none"
    }

    private func run<Result: Sendable>(
        on scheduler: any ImmediateSchedulerType, _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            _ = scheduler.schedule(()) { _ in
                continuation.resume(returning: body())
                return Disposables.create()
            }
        }
    }

    @Test func runsIsolatedToTheActor() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let isDrained = await run(on: scheduler) {
            ledger.assumeIsolated { $0.enter(1) }
            return scheduler.jobQueue?.isDrainedByCaller
        }
        #expect(isDrained == true)
        #expect(await ledger.entries == [1])
    }

    @Test func actionRunsOnCustomExecutorOfActor() async {
        let actor = QueueActor.make()
        #expect(
            await run(on: ActorScheduler(actor)) {
                actor.preconditionIsolated()
                return true
            })
    }

    @Test func runsIsolatedToTheMainActor() async {
        #expect(
            await run(on: ActorScheduler.main) {
                MainActor.assumeIsolated { MainQueue.isCurrent }
            })
    }

    @Test func actionScheduledOnActorRunsAfterCaller() async {
        let log = Log()
        await MainActor.run {
            _ = ActorScheduler.main.schedule(()) { _ in
                log("scheduled")
                return Disposables.create()
            }
            log("caller")
        }
        await run(on: ActorScheduler.main) {}
        #expect(log.text == "caller scheduled")
    }

    @Test func keepsTheOrderAmongTasksOfAllPriorities() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let priorities: [TaskPriority] = [.background, .high, .low, .userInitiated, .utility]
        for index in 0..<1_000 {
            await Task.detached(priority: priorities[index % priorities.count]) {
                _ = scheduler.schedule(index) { index in
                    ledger.assumeIsolated { $0.enter(index) }
                    return Disposables.create()
                }
            }.value
        }
        await run(on: scheduler) {}
        #expect(await ledger.entries == Array(0..<1_000))
    }

    @Test func burstsOfManyThreadsRunOnceAndInTheOrderOfEach() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let (threads, count) = (8, 2_000)
        await withCheckedContinuation { continuation in
            startThread {
                try? runConcurrently(threads: threads) { thread in
                    for index in 0..<count {
                        _ = scheduler.schedule(thread * count + index) { entry in
                            ledger.assumeIsolated { $0.enter(entry) }
                            return Disposables.create()
                        }
                    }
                }
                continuation.resume()
            }
        }
        await run(on: scheduler) {}
        let entries = await ledger.entries
        for thread in 0..<threads {
            #expect(entries.filter { $0 / count == thread } == Array(thread * count..<(thread + 1) * count))
        }
    }

    @Test func observesOnTheActor() async {
        let ledger = Ledger()
        let source = PublishSubject<Int>()
        await ledger.follow(source)
        for element in 0..<10_000 { source.onNext(element) }
        while await ledger.entries.count < 10_000 { await Task.yield() }
        #expect(await ledger.entries == Array(0..<10_000))
    }

    /// The recursion schedules itself forever. Its turns are limited, so other calls can run between them.
    @Test(.notForever) func otherCallsOfTheActorHaveTheirTurn() async {
        let ledger = Ledger()
        let recursion = ActorScheduler(ledger).scheduleRecursive(()) { _, again in again(()) }
        for entry in 0..<3 { await ledger.enter(entry) }
        recursion.dispose()
        #expect(await ledger.entries == [0, 1, 2])
    }

    @Test func timersRunOnTheActor() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let timers = CompositeDisposable()
        await withCheckedContinuation { continuation in
            _ = timers.insert(
                scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                    ledger.assumeIsolated { $0.enter(-1) }
                    return scheduler.schedulePeriodic(0, startAfter: .nanoseconds(0), period: .milliseconds(1)) {
                        tick in
                        ledger.assumeIsolated { $0.enter(tick) }
                        if tick == 3 { continuation.resume() }
                        return tick + 1
                    }
                })
        }
        timers.dispose()
        #expect(await ledger.entries.prefix(5) == [-1, 0, 1, 2, 3])
    }

    @Test func actionDisposedOnActorDoesNotRun() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let log = Log()
        await run(on: scheduler) {
            let waiting = scheduler.schedule(()) { _ in
                log("ran")
                return Disposables.create()
            }
            let timer = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                log("fired")
                return Disposables.create()
            }
            waiting.dispose()
            timer.dispose()
        }
        await run(on: scheduler) {}
        #expect(log.text == "")
    }

    @Test func actionSeesNoTaskLocalsOfCaller() async {
        let ledger = Ledger()
        let seen = await Trace.$id.withValue("scheduler's") {
            await run(on: ActorScheduler(ledger)) { Trace.id }
        }
        #expect(seen == "none")
    }

    // MARK: References

    @Test func anActorThatHoldsItsSchedulerAndASubscriptionOnItIsFreed() async {
        let tracker = LifetimeTracker()
        let source = PublishSubject<Int>()
        do {
            let ledger = Ledger(tracker.make())
            await ledger.follow(source)
            source.onNext(1)
            while await ledger.entries.isEmpty { await Task.yield() }
        }
        while tracker.live > 0 { await Task.yield() }
        #expect(!source.hasObservers)
    }

    @Test func waitingJobRetainsActorUntilItRuns() async {
        let log = Log()
        await withCheckedContinuation { continuation in
            let ledger = Ledger()
            let scheduler = ActorScheduler(ledger)
            _ = scheduler.schedule(()) { _ in
                log("ran")
                continuation.resume()
                return Disposables.create()
            }
        }
        #expect(log.text == "ran")
    }

    @Test func releasedSchedulerRunsPendingTimer() async {
        let ledger = Ledger()
        await withCheckedContinuation { continuation in
            _ = ActorScheduler(ledger).scheduleRelative((), dueTime: .milliseconds(2)) { _ in
                continuation.resume()
                return Disposables.create()
            }
        }
    }

    /// The timer thread must not free a user's objects.
    @Test func actionsAndTimersAreFreedOnceActorIsFreed() async throws {
        let tracker = LifetimeTracker()
        let log = Log()
        var ledger: Ledger? = Ledger()
        let scheduler = ActorScheduler(ledger!)
        func note() -> LifetimeTracker.Tracked { tracker.make { log(threadName()) } }
        let timers = [
            scheduler.scheduleRelative(note(), dueTime: .milliseconds(500)) { _ in
                log("ran")
                return Disposables.create()
            },
            scheduler.schedulePeriodic(note(), startAfter: .milliseconds(500), period: .milliseconds(1)) { held in
                log("ran")
                return held
            },
            scheduler.scheduleRelative(note(), dueTime: .seconds(3_600)) { _ in Disposables.create() },
        ]
        ledger = nil
        while tracker.live > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(log.entries.count == 3 && !log.entries.contains("ran") && !log.entries.contains("rx.timers"))
        _ = scheduler.schedule(note()) { _ in
            log("ran")
            return Disposables.create()
        }
        while tracker.live > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(!log.entries.contains("ran"))
        withExtendedLifetime(timers) {}
    }
}
