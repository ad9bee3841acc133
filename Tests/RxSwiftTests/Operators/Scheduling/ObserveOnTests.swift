import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

struct ObserveOnTests {
    private let log = Log()
    private let source = PublishSubject<Int>()

    @Test func deliversOnTheScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = source.observe(on: scheduler).note(in: log)
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "")
        scheduler.start()
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func virtualTimeSchedulerTakesOneStepPerEvent() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("{10}(123|)")
        let observer = scheduler.start { source.observe(on: scheduler) }
        observer.expect("{11}123|")
    }

    @Test func virtualTimeSchedulerGetsNoSecondStepWhileOneWaits() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("{10}123|")
        let observer = scheduler.start { source.observe(on: scheduler) }
        observer.expect("{11}123|")
    }

    @Test func foreignSchedulerGetsOneActionWhileEventsWait() {
        let scheduler = Keeping()
        let subscription = source.observe(on: scheduler).note(in: log)
        source.onNext(1)
        source.onNext(2)
        #expect(scheduler.actions.count == 1)
        scheduler.runNext()
        #expect(log.text == "1")
        #expect(scheduler.actions.count == 1)
        scheduler.runNext()
        #expect(log.text == "1 2")
        #expect(scheduler.actions.isEmpty)
        source.onNext(3)
        #expect(scheduler.actions.count == 1)
        subscription.dispose()
        scheduler.runNext()
        #expect(log.text == "1 2" && scheduler.actions.isEmpty)
    }

    @Test(arguments: Hop.allCases) func allElementsArriveInOrderBeforeTheEnd(hop: Hop) throws {
        let (received, done) = (Guarded<[Int]>([]), DispatchSemaphore(value: 0))
        let subscription = Observable.range(start: 0, count: 2_000).observe(on: hop.scheduler())
            .subscribe(onNext: { element in received.withLock { $0.append(element) } }, onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(received.withLock { $0 } == Array(0..<2_000))
        subscription.dispose()
    }

    private func expectATeardownLivesOn(below scheduler: any ImmediateSchedulerType) {
        let (tracker, head) = (LifetimeTracker(), Guarded<AnyObserver<Int>?>(nil))
        let silent = Observable<Int>.create { out in
            head.withLock { $0 = out }
            return Disposables.create()
        }
        let subscription = silent.observe(on: scheduler)
            .do(onDispose: { [log] in log("torn") })
            .subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
        withExtendedLifetime(head.withLock { $0.take() }) {}
        #expect(tracker.live == 1)
        #expect(log.text == "")
        subscription.dispose()
        #expect(log.text == "torn")
    }

    @Test(arguments: Hop.allCases) func chainWithTeardownSourceReleasedLivesUntilDisposal(hop: Hop) {
        expectATeardownLivesOn(below: hop.scheduler())
    }

    @Test func chainWithTeardownSourceReleasedInVirtualTimeLivesUntilDisposal() {
        expectATeardownLivesOn(below: TestScheduler(initialClock: 0))
    }

    @Test(arguments: [true, false]) func waitingElementsAreFreedWithTheChain(isDisposedInside: Bool) {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = SerialDisposable()
        subscription.disposable = source.observe(on: scheduler).subscribe(onNext: { _ in
            if isDisposedInside { subscription.dispose() }
        })
        for _ in 0..<100 { source.onNext(tracker.make()) }
        if !isDisposedInside { subscription.dispose() }
        scheduler.advanceTo(2)
        source.onNext(tracker.make())
        #expect(tracker.live == 0)
    }

    @Test func waitingElementsAreFreedWhileSourceHoldsChainTop() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let source = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let live = Guarded<[Int]>([])
        subscription.disposable =
            source
            .flatMap { number in
                Observable.create { observer in
                    observer.onNext(tracker.make(number))
                    subscription.dispose()
                    observer.onNext(tracker.make(number))
                    live.withLock { $0.append(tracker.live) }
                    return Disposables.create()
                }
            }
            .observe(on: scheduler).subscribe()
        source.onNext(1)
        #expect(live.withLock { $0 } == [0])
    }

    @Test func elementSentAfterDisposalIsFreedAtOnce() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = SerialDisposable()
        let sending = Sending(tracker: tracker, before: { subscription.dispose() }, behind: { [log] in log($0) })
        subscription.disposable = source.lift(sending).observe(on: scheduler).subscribe()
        source.onNext(1)
        #expect(log.text == "0")
    }

    @Test func deliveredElementIsFreedWhileElementsWait() {
        let (scheduler, tracker, live) = (TestScheduler(initialClock: 0), LifetimeTracker(), Guarded<[Int]>([]))
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.observe(on: scheduler).subscribe(onNext: { _ in
            live.withLock { $0.append(tracker.live) }
        })
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        scheduler.start()
        #expect(live.withLock { $0 } == [3, 2, 1])
        subscription.dispose()
    }

    @Test(arguments: Hop.allCases) func errorFollowsEarlierElements(hop: Hop) {
        let done = DispatchSemaphore(value: 0)
        let subscription = Observable.of(1, 2).concat(Observable.error(TestError.a)).observe(on: hop.scheduler())
            .subscribe(onNext: { [log] in log($0) }, onError: { [log] in log($0) }, onDisposed: { done.signal() })
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(log.text == "1 2 a")
        subscription.dispose()
    }

    @Test func twoChainsOnOneSerialSchedulerKeepTheOrderOfTheirElements() {
        let queue = DispatchQueue(label: "q")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "s")
        let other = PublishSubject<Int>()
        let subscriptions = [
            source.observe(on: scheduler).note(in: log, as: "a"), other.observe(on: scheduler).note(in: log, as: "b"),
        ]
        source.onNext(1)
        other.onNext(1)
        source.onNext(2)
        other.onNext(2)
        source.onNext(3)
        drain(scheduler)
        #expect(log.text == "a1 b1 a2 b2 a3")
        subscriptions.forEach { $0.dispose() }
    }

    @Test(arguments: Hop.serial) func elementPushedInDeliveryFollowsWaitingJobs(hop: Hop) {
        let (gate, other) = (DispatchSemaphore(value: 0), PublishSubject<Int>())
        nonisolated(unsafe) let scheduler = hop.scheduler()
        let stall = scheduler.schedule(()) { _ in
            _ = gate.wait(timeout: .now() + 30)
            return Disposables.create()
        }
        let subscriptions = [
            source.observe(on: scheduler).subscribe(onNext: { [log, source] in
                log("a\($0)")
                guard $0 == 1 else { return }
                source.onNext(2)
                _ = scheduler.schedule(()) { _ in
                    log("action")
                    return Disposables.create()
                }
                source.onNext(3)
            }),
            other.observe(on: scheduler).note(in: log, as: "b"),
        ]
        source.onNext(1)
        other.onNext(1)
        gate.signal()
        drain(scheduler)
        drain(scheduler)
        #expect(log.text == "a1 b1 a2 action a3")
        subscriptions.forEach { $0.dispose() }
        stall.dispose()
    }

    @Test(arguments: Hop.allCases) func hopOnSchedulerHeldOnlyByChainDelivers(hop: Hop) {
        let delivered = DispatchSemaphore(value: 0)
        let subscription = source.observe(on: hop.scheduler()).subscribe(onNext: { _ in delivered.signal() })
        for number in 1...3 {
            source.onNext(number)
            #expect(delivered.wait(timeout: .now() + 30) == .success)
        }
        subscription.dispose()
    }

    @Test func schedulerShutdownInDeliveryDropsLaterElements() {
        let scheduler = PthreadScheduler(name: "dropping")
        expectDropped(by: scheduler) { scheduler.shutdown(.drop) }
    }

    @Test func poolSchedulerShutdownInDeliveryDropsLaterElements() {
        let scheduler = PthreadPoolScheduler(name: "dropping", maxThreads: 1)
        expectDropped(by: scheduler) { scheduler.shutdown(.drop) }
    }

    @Test(arguments: [.pausing(2), .oldest(2), .newest(2), .failing(2)] as [Buffering])
    func elementForBoundedHopAfterShutdownDisposesSource(_ buffering: Buffering) {
        let scheduler = PthreadScheduler(name: "dropping")
        let subscription = source.observe(on: scheduler, buffering: buffering).subscribe()
        scheduler.shutdown(.drop)
        source.onNext(1)
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    private func expectDropped(by scheduler: any SchedulerType, _ shutdown: @escaping @Sendable () -> Void) {
        let (ended, tracker) = (DispatchSemaphore(value: 0), LifetimeTracker())
        let elements = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = elements.observe(on: scheduler).subscribe(onNext: { [log] _ in
            log("delivered")
            for _ in 0..<100 { elements.onNext(tracker.make()) }
            shutdown()
            for _ in 0..<100 { elements.onNext(tracker.make()) }
            ended.signal()
        })
        elements.onNext(tracker.make())
        #expect(ended.wait(timeout: .now() + 30) == .success)
        shutdown()
        #expect(log.text == "delivered")
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test(arguments: Hop.serial) func nothingIsDeliveredOnceTheDeliveringQueueHasDisposed(hop: Hop) {
        let (scheduler, subscription) = (hop.scheduler(), SerialDisposable())
        let pushed = DispatchSemaphore(value: 0)
        subscription.disposable = source.observe(on: scheduler).subscribe(onNext: { [log] in
            log($0)
            _ = pushed.wait(timeout: .now() + 30)
            subscription.dispose()
        })
        (1...3).forEach(source.onNext)
        pushed.signal()
        drain(scheduler)
        #expect(log.text == "1")
    }

    @Test(arguments: Hop.serial) func waitingElementsAreDroppedByDisposal(hop: Hop) {
        let (scheduler, gate) = (hop.scheduler(), DispatchSemaphore(value: 0))
        let stall = scheduler.schedule(()) { _ in
            _ = gate.wait(timeout: .now() + 30)
            return Disposables.create()
        }
        let subscription = source.observe(on: scheduler).note(in: log)
        (1...3).forEach(source.onNext)
        subscription.dispose()
        gate.signal()
        drain(scheduler)
        #expect(log.text == "")
        stall.dispose()
    }

    @Test func disposingEndsTheSourceAtOnce() {
        let scheduler = TestScheduler(initialClock: 0)
        source.observe(on: scheduler).subscribe().dispose()
        #expect(!source.hasObservers)
    }

    @Test func sourceIsDisposedBeforeEndIsDelivered() {
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = source.noteLifetime(in: log, as: "source").observe(on: scheduler).note(in: log)
        source.onCompleted()
        log("-")
        scheduler.start()
        #expect(log.text == "source+ source- - completed")
        subscription.dispose()
    }

    @Test func mainSchedulerOnMainThreadDeliversAtOnce() async {
        await MainActor.run { [log] in
            // In `MainScheduler.instance`, actions of other tests may be waiting.
            _ = Observable.of(1, 2).observe(on: MainScheduler()).note(in: log)
            log("returned")
        }
        #expect(log.text == "1 2 completed returned")
    }

    @Test(arguments: Hop.serial) func threadsThatPushAreDeliveredOneAtATime(hop: Hop) throws {
        let scheduler = hop.scheduler()
        nonisolated(unsafe) var received: [Int] = []
        let subscription = source.observe(on: scheduler).subscribe(onNext: { received.append($0) })
        try runConcurrently(threads: 4) { index in
            for number in 0..<2_000 { source.onNext(index * 2_000 + number) }
        }
        drain(scheduler)
        #expect(received.count == 8_000)
        for index in 0..<4 {
            let own = received.filter { $0 / 2_000 == index }
            #expect(own == own.sorted())
        }
        subscription.dispose()
    }

    #if canImport(Glibc)
        // Runs in a separate process, because it measures the process's memory.
        @Test func idleHopKeepsLittleMemoryOfABurst() async {
            await #expect(processExitsWith: .success) {
                let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "burst")
                let (source, gate, chains) = (PublishSubject<Int>(), DispatchSemaphore(value: 0), 500)
                let bag = DisposeBag()
                for _ in 0..<chains { source.observe(on: scheduler).subscribe().disposed(by: bag) }
                source.onNext(0)
                drain(scheduler)
                let before = residentBytes()
                for _ in 0..<4 {
                    _ = scheduler.schedule(()) { _ in
                        gate.wait()
                        return Disposables.create()
                    }
                    for number in 0..<300 { source.onNext(number) }
                    precondition(residentBytes() - before > chains * 40_000)
                    gate.signal()
                    drain(scheduler)
                    // The queue frees its memory when it becomes idle, so the test polls.
                    let patience = DispatchTime.now() + 30
                    while residentBytes() - before >= chains * 4_096 && .now() < patience { usleep(10_000) }
                    precondition(residentBytes() - before < chains * 4_096)
                }
            }
        }

        @Test func nonEmptyBacklogKeepsLittleDeliveredMemory() async {
            await #expect(processExitsWith: .success) {
                let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<SIMD16<Int>>())
                nonisolated(unsafe) var received = 0
                let subscription = source.observe(on: scheduler).subscribe(onNext: { _ in received += 1 })
                source.onNext(.zero)
                let before = residentBytes()
                for time in 1...100_000 {
                    source.onNext(.zero)
                    scheduler.advanceTo(time)
                }
                precondition(received > 90_000 && received <= 100_000)
                precondition(residentBytes() - before < 4_000_000)
                subscription.dispose()
            }
        }
    #endif

    @Test func hopDisposedReleasesItsJobs() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "kept")
        let (gate, tracker) = (DispatchSemaphore(value: 0), LifetimeTracker())
        // The elements are so large that each has its own job.
        let source = PublishSubject<SIMD64<Int32>>()
        let subscription = source.observe(on: scheduler).subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        let stall = scheduler.schedule(()) { _ in
            _ = gate.wait(timeout: .now() + 30)
            return Disposables.create()
        }
        for _ in 0..<4 { source.onNext(SIMD64()) }
        gate.signal()
        drain(scheduler)
        source.onNext(SIMD64())
        drain(scheduler)
        subscription.dispose()
        #expect(comesTrue { tracker.live == 0 })
        stall.dispose()
    }

    @Test(arguments: Hop.allCases) func deliveredElementsAreFreed(hop: Hop) {
        let (tracker, scheduler, done) = (LifetimeTracker(), hop.scheduler(), DispatchSemaphore(value: 0))
        let subject = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = subject.observe(on: scheduler).subscribe(onCompleted: { done.signal() })
        for number in 0..<100 { subject.onNext(tracker.make(number)) }
        subject.onCompleted()
        #expect(done.wait(timeout: .now() + 30) == .success)
        subscription.dispose()
        drain(scheduler)
        drain(scheduler)
        #expect(tracker.live == 0)
    }

    /// Sends three elements, and schedules an action after the first `elementsBefore` of them. Returns the order of all
    /// four.
    private func order(
        of scheduler: any ImmediateSchedulerType, _ hop: Observable<Int>, elementsBefore: Int
    ) -> String {
        let gate = DispatchSemaphore(value: 0)
        let stall = scheduler.schedule(()) { _ in
            _ = gate.wait(timeout: .now() + 30)
            return Disposables.create()
        }
        let subscription = hop.note(in: log)
        for element in 1...elementsBefore { source.onNext(element) }
        let action = scheduler.schedule(()) { [log] _ in
            log("action")
            return Disposables.create()
        }
        for element in elementsBefore + 1...3 { source.onNext(element) }
        gate.signal()
        for _ in 0..<3 { drain(scheduler) }
        for disposable in [subscription, action, stall] { disposable.dispose() }
        return log.text
    }

    @Test(arguments: Hop.serial) func actionKeepsItsOrderAfterElements(hop: Hop) {
        let scheduler = hop.scheduler()
        #expect(order(of: scheduler, source.observe(on: scheduler), elementsBefore: 2) == "1 2 action 3")
    }

    @Test func actionKeepsItsOrderAfterElementsOnMainQueue() {
        let scheduler = MainScheduler.instance
        #expect(order(of: scheduler, source.observe(on: scheduler), elementsBefore: 2) == "1 2 action 3")
    }

    @Test(arguments: Hop.serial) func actionKeepsItsOrderWithUnboundedHop(hop: Hop) {
        let scheduler = hop.scheduler()
        let unbounded = source.observe(on: scheduler, buffering: .unbounded)
        #expect(order(of: scheduler, unbounded, elementsBefore: 1) == "1 action 2 3")
    }

    enum Hop: CaseIterable {
        case serialQueue, targetQueue, pthread, concurrentQueue, pool, actor

        static let serial: [Hop] = [.serialQueue, .targetQueue, .pthread, .actor]

        func scheduler() -> any ImmediateSchedulerType {
            switch self {
            case .serialQueue: SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
            case .targetQueue:
                SerialDispatchQueueScheduler(queue: DispatchQueue(label: "target"), internalSerialQueueName: "serial")
            case .pthread: PthreadScheduler(name: "pthread")
            case .concurrentQueue: ConcurrentDispatchQueueScheduler(qos: .default)
            case .pool: PthreadPoolScheduler(name: "pool", maxThreads: 2)
            case .actor: ActorScheduler(QueueActor.make())
            }
        }
    }
}

private struct Sending: LinearOperator {
    typealias Input = Int
    typealias Output = LifetimeTracker.Tracked

    let tracker: LifetimeTracker
    let before: () -> Void
    let behind: (Int) -> Void

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> LifetimeTracker.Tracked? {
        before()
        stage.send(tracker.make(element))
        behind(tracker.live)
        return nil
    }
}

private final class Keeping: ImmediateSchedulerType {
    private(set) var actions: [() -> Void] = []

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        actions.append { _ = action(state) }
        return Disposables.create()
    }

    func runNext() {
        let action = actions.removeFirst()
        action()
    }
}

func drain(_ scheduler: any ImmediateSchedulerType) {
    let done = DispatchSemaphore(value: 0)
    let last = scheduler.schedule(()) { _ in
        done.signal()
        return Disposables.create()
    }
    #expect(done.wait(timeout: .now() + 30) == .success)
    last.dispose()
}
