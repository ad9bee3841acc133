import Dispatch
import RxSwift
import TestSupport
import Testing

#if Foundation
    import Foundation
#endif

/// The guarantees of every scheduler that does not run its work on the calling thread.
struct DispatchSchedulersTests {
    enum Kind: CaseIterable, Sendable {
        case serial, serialOnTarget, serialNamed, concurrent, main, pthread, pool, actor, mainActor

        func make() -> any SchedulerType {
            switch self {
            case .serial: SerialDispatchQueueScheduler(qos: .userInitiated)
            case .serialOnTarget:
                SerialDispatchQueueScheduler(queue: DispatchQueue(label: "target"), internalSerialQueueName: "inner")
            case .serialNamed: SerialDispatchQueueScheduler(internalSerialQueueName: "named")
            case .concurrent: ConcurrentDispatchQueueScheduler(qos: .userInitiated)
            case .main: MainScheduler.asyncInstance
            case .pthread: PthreadScheduler(name: "test")
            case .pool: PthreadPoolScheduler(name: "test", maxThreads: 3)
            case .actor: ActorScheduler(QueueActor.make())
            case .mainActor: ActorScheduler.main
            }
        }
    }

    static let serial: [Kind] = [
        .serial, .serialOnTarget, .serialNamed, .main, .pthread, .actor, .mainActor,
    ]

    @Test(arguments: Kind.allCases)
    func runsAnAction(kind: Kind) throws {
        let done = DispatchSemaphore(value: 0)
        _ = kind.make().schedule(1) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }

    @Test(arguments: serial)
    func keepsTheOrderOfScheduling(kind: Kind) throws {
        let scheduler = kind.make()
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        for index in 0..<10_000 {
            _ = scheduler.schedule(index) { index in
                log(index)
                if index == 9_999 { done.signal() }
                return Disposables.create()
            }
        }
        try wait(for: done)
        #expect(log.entries == (0..<10_000).texts)
    }

    @Test(arguments: serial)
    func runsOneAtATimeAndLosesNothing(kind: Kind) throws {
        let scheduler = kind.make()
        let state = Guarded((running: 0, most: 0, done: 0))
        let allDone = DispatchSemaphore(value: 0)
        try runConcurrently(threads: 4) { _ in
            for _ in 0..<2_000 {
                _ = scheduler.schedule(()) { _ in
                    state.withLock {
                        $0.running += 1
                        $0.most = max($0.most, $0.running)
                    }
                    let isLast = state.withLock { state in
                        state.running -= 1
                        state.done += 1
                        return state.done == 8_000
                    }
                    if isLast { allDone.signal() }
                    return Disposables.create()
                }
            }
        }
        try wait(for: allDone)
        #expect(state.withLock { $0.most } == 1)
    }

    /// Even on a slow machine, the timer is disposed of before it is due.
    @Test(arguments: Kind.allCases)
    func timerDisposedBeforeItsTurnIsFreed(kind: Kind) {
        let scheduler = kind.make()
        let tracker = LifetimeTracker()
        let timer = scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(3600)) { _ in Disposables.create() }
        #expect(tracker.live == 1)
        timer.dispose()
        #expect(tracker.live == 0)
    }

    /// If the machine may have changed the order, repeats with greater distances between the deadlines.
    @Test(arguments: Kind.allCases)
    func runsTimersInTheOrderOfTheirDeadlines(kind: Kind) throws {
        let scheduler = kind.make()
        var (step, order): (UInt64, [UInt64]) = (150_000_000, [])
        for _ in 0..<4 {
            let (runs, done) = (Guarded<[(place: UInt64, moment: UInt64)]>([]), DispatchSemaphore(value: 0))
            let start = DispatchTime.now().uptimeNanoseconds
            for place in [2, 0, 1] as [UInt64] {
                _ = scheduler.scheduleRelative(place, dueTime: .nanoseconds(Int(place * step))) { place in
                    let moment = DispatchTime.now().uptimeNanoseconds
                    runs.withLock { $0.append((place, moment)) }
                    done.signal()
                    return Disposables.create()
                }
            }
            let took = DispatchTime.now().uptimeNanoseconds - start
            for _ in 0..<3 { try wait(for: done) }
            order = runs.withLock { $0.sorted { $0.moment < $1.moment }.map(\.place) }
            if order == [0, 1, 2] || Self.serial.contains(kind) && took < step / 3 { break }
            step *= 2
        }
        #expect(order == [0, 1, 2])
    }

    @Test(arguments: Kind.allCases)
    func repeatsUntilItIsDisposed(kind: Kind) throws {
        let scheduler = kind.make()
        let log = Log()
        let tracker = LifetimeTracker()
        let (isSet, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let periodic = SingleAssignmentDisposable()
        periodic.setDisposable(
            scheduler.schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) {
                [held = tracker.make()] count in
                // A busy machine may run three ticks before `periodic` holds the timer.
                if count == 0 { isSet.wait() }
                log(count)
                if count == 2 {
                    periodic.dispose()
                    done.signal()
                }
                return held.value + count + 1
            })
        isSet.signal()
        try wait(for: done)
        try runAfterAllTimers(of: scheduler)
        #expect(log.text == "0 1 2")
        // On other schedulers, another thread may still be ending the last tick.
        if Self.serial.contains(kind) { #expect(tracker.live == 0) } else { #expect(comesTrue { tracker.live == 0 }) }
    }

    @Test(arguments: Kind.allCases)
    func recurses(kind: Kind) throws {
        let scheduler = kind.make()
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        let recursion = scheduler.scheduleRecursive(0) { (count: Int, again: (Int) -> Void) in
            log(count)
            if count < 3 { again(count + 1) } else { done.signal() }
        }
        try wait(for: done)
        #expect(log.text == "0 1 2 3")
        withExtendedLifetime(recursion) {}
    }

    @Test(arguments: serial)
    func keepsNothingThatOtherThreadsDisposeOf(kind: Kind) throws {
        let scheduler = kind.make()
        let tracker = LifetimeTracker()
        try runConcurrently(threads: 4) { thread in
            for index in 0..<500 {
                let scheduled = scheduler.schedule(tracker.make()) { held in Disposables.create { _ = held } }
                let timer = scheduler.scheduleRelative(tracker.make(), dueTime: .microseconds(index)) { held in
                    Disposables.create { _ = held }
                }
                scheduled.dispose()
                if thread % 2 == 0 { timer.dispose() }
            }
        }
        try runAfterAllTimers(of: scheduler)
        #expect(tracker.live == 0)
    }

    @Test func otherBlocksOfASerialSchedulersQueueHaveTheirTurn() throws {
        nonisolated(unsafe) var made: DispatchQueue?
        let scheduler = SerialDispatchQueueScheduler(
            internalSerialQueueName: "own", serialQueueConfiguration: { made = $0 })
        let queue = try #require(made)
        let (ran, seen, done) = (Guarded(0), Guarded(0), DispatchSemaphore(value: 0))
        queue.suspend()
        for _ in 0..<2_000 {
            _ = scheduler.schedule(()) { _ in
                ran.withLock { $0 += 1 }
                return Disposables.create()
            }
        }
        queue.async {
            let before = ran.withLock { $0 }
            seen.withLock { $0 = before }
        }
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        queue.resume()
        try wait(for: done)
        queue.sync {}
        #expect(seen.withLock { $0 } < 2_000 && ran.withLock { $0 } == 2_000)
    }

    @Test func actionBetweenElementsRunsInOrder() throws {
        let queue = DispatchQueue(label: "target")
        queue.suspend()
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
        let (subject, log, done) = (PublishSubject<Int>(), Log(), DispatchSemaphore(value: 0))
        let subscription = subject.observe(on: scheduler)
            .subscribe(onNext: { log($0) }, onCompleted: { done.signal() })
        subject.onNext(1)
        _ = scheduler.schedule(()) { _ in
            log("action")
            return Disposables.create()
        }
        subject.onNext(2)
        subject.onCompleted()
        queue.resume()
        try wait(for: done)
        #expect(log.text == "1 action 2")
        subscription.dispose()
    }

    #if Foundation
        @Test func operationsHaveThePriorityOfTheirScheduler() {
            let queue = OperationQueue()
            queue.isSuspended = true
            let priorities: [Operation.QueuePriority] = [.veryHigh, .low]
            for priority in priorities {
                _ = OperationQueueScheduler(operationQueue: queue, queuePriority: priority).schedule(()) { _ in
                    Disposables.create()
                }
            }
            #expect(Set(queue.operations.map(\.queuePriority)) == Set(priorities))
            queue.isSuspended = false
            queue.waitUntilAllOperationsAreFinished()
        }
    #endif

    private func runAfterAllTimers(of scheduler: any SchedulerType) throws {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(20)) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }
}
