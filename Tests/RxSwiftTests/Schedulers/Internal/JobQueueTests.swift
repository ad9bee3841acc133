import CRxCore
import TestSupport
import Testing

@testable import RxSwift

struct JobQueueTests {
    private final class Woken: JobQueue, @unchecked Sendable {
        let wakeUps = Guarded(0)

        override var name: String { "woken" }

        override func wake() {
            wakeUps.withLock { $0 += 1 }
        }
    }

    private final class Dropping: ScheduledJob, @unchecked Sendable {
        private let action: () -> Void

        init(_ action: @escaping () -> Void) {
            self.action = action
        }

        override func run() {}

        override func drop() {
            action()
        }
    }

    private final class Noting: ScheduledJob, @unchecked Sendable {
        private let name: String
        private let log: Log
        private let action: () -> Void

        init(_ name: String, in log: Log, _ action: @escaping () -> Void = {}) {
            self.name = name
            self.log = log
            self.action = action
        }

        override func run() {
            log(name)
            action()
        }

        override func drop() {
            log("no \(name)")
        }
    }

    private let log = Log()

    /// While this thread drops a job, another thread enqueues one. That thread must drop its own job.
    @Test func discardIgnoresJobsQueuedByOtherThreads() {
        let (queue, discarder) = (ManualQueue(), crx_thread_self())
        var dropped = 0
        let all = Guarded(0)
        func job() -> ScheduledJob {
            Dropping {
                all.withLock { $0 += 1 }
                guard crx_thread_self() == discarder, dropped < 5 else { return }
                dropped += 1
                let next = job()
                #expect(throws: Never.self) { try runOnThread { queue.enqueue(next) } }
            }
        }
        queue.enqueue(job())
        queue.discard()
        #expect(dropped == 1 && all.withLock { $0 } == 2)
    }

    @Test func waitingJobIsDroppedBeforeJobQueuedInDrop() {
        let queue = ManualQueue()
        queue.enqueue(
            Dropping { [log] in
                log("first")
                queue.enqueue(Dropping { log("late") })
            })
        queue.enqueue(Dropping { [log] in log("second") })
        queue.discard()
        #expect(log.text == "first late second")
    }

    @Test func jobQueuedDuringFinishIsDropped() {
        let queue = ManualQueue()
        queue.enqueue(Noting("first", in: log))
        queue.enqueue(Noting("second", in: log) { [log] in queue.enqueue(Noting("late", in: log)) })
        #expect(!queue.drain(atMost: 1))
        queue.finish()
        #expect(log.text == "first second no late")
    }

    @Test func jobsThatEachQueueAnotherAsTheyAreDroppedFitASmallStack() throws {
        let reached = Guarded(false)
        try runOnThread(stackSize: 128 << 10) {
            let queue = ManualQueue()
            func job(_ left: Int) -> ScheduledJob {
                Dropping { if left > 0 { queue.enqueue(job(left - 1)) } else { reached.withLock { $0 = true } } }
            }
            queue.enqueue(job(100_000))
            queue.discard()
        }
        #expect(reached.withLock { $0 })
    }

    @Test func isDrainedByCallerIsTrueOnlyDuringDrain() {
        let queue = ManualQueue()
        queue.enqueue(
            ScheduledAction { [log, queue] in
                log(queue.isDrainedByCaller)
                return Disposables.create()
            })
        log(queue.isDrainedByCaller)
        #expect(queue.drain(atMost: .max))
        log(queue.isDrainedByCaller)
        #expect(log.text == "false true false")
    }

    @Test func firstWaitingJobAloneWakesQueue() {
        let queue = Woken()
        for index in 0..<3 { queue.enqueue(Noting("\(index)", in: log)) }
        #expect(queue.wakeUps.withLock { $0 } == 1)
        #expect(queue.drain(atMost: .max))
        queue.enqueue(Noting("3", in: log))
        #expect(queue.wakeUps.withLock { $0 } == 2)
        #expect(queue.drain(atMost: .max))
        #expect(log.text == "0 1 2 3")
    }

    private final class Drained: ImmediateSchedulerType, BatchingScheduler {
        let queue = ManualQueue()

        var jobQueue: JobQueue? { queue }

        func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
            action(state)
        }
    }

    @Test func elementsJobTakesNoMoreThanItsCapacity() {
        let (scheduler, source, capacity) = (Drained(), PublishSubject<Int>(), BatchJob<Int>.capacity)
        let subscription = source.observe(on: scheduler).note(in: log)
        for element in 0...capacity { source.onNext(element) }
        _ = scheduler.queue.drain(atMost: 1)
        #expect(log.entries == (0..<capacity).texts)
        #expect(scheduler.queue.drain(atMost: .max))
        #expect(log.entries.last == String(capacity))
        subscription.dispose()
    }

    @Test func resumedLoopYieldsToOtherJobs() throws {
        let scheduler = Drained()
        let valve = TestValve(on: scheduler)
        valve.set(isPaused: true)
        let subscription = valve.above(Observable.range(start: 0, count: 200)).note(in: log)
        #expect(log.text == "")
        valve.set(isPaused: false)
        scheduler.queue.enqueue(Noting("other", in: log))
        #expect(scheduler.queue.drain(atMost: .max))
        let place = try #require(log.entries.firstIndex(of: "other"))
        #expect(place > 0 && place < 200)
        #expect(log.entries.count == 202)
        subscription.dispose()
    }

    @Test func elementsJobHoldsAtLeastOneElementOfAnySize() {
        #expect(BatchJob<Int>.capacity > 1)
        #expect(BatchJob<SIMD64<Int>>.capacity == 1)
    }
}
