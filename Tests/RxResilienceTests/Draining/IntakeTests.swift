import Glibc
import RxResilience
import RxSwift
import RxTest
import TestSupport
import Testing

struct IntakeTests {
    private let scheduler = TestScheduler.milliseconds()
    private let drain = Drain()
    private let log = Log()
    private let intake = Intake<Int>(atMost: 3, name: "orders")

    private func refusal(_ reason: IntakeRefused.Reason, _ unhandled: Int = 0) -> IntakeAnswer {
        .refused(IntakeRefused(name: "orders", reason: reason, unhandled: unhandled))
    }

    private func wait(_ milliseconds: Int) -> Single<Int> {
        Single<Int>.timer(.milliseconds(milliseconds), scheduler: scheduler).map { _ in milliseconds }
    }

    private func work(
        _ most: Int = .max, _ work: @escaping @Sendable (Int) throws -> Single<Int>
    ) -> any Disposable {
        intake.handling(until: drain, atMost: most, work).subscribe(
            onNext: { [log, scheduler] result in
                switch result {
                case .success(let value): log("\(value)@\(scheduler.clock)")
                case .failure(let error): log("\(error)@\(scheduler.clock)")
                }
            }, onError: { [log] error in log("\(error)") }, onCompleted: { [log] in log("completed") })
    }

    // MARK: Answers

    @Test func offerWithoutSubscriptionIsRefused() {
        #expect(intake.offer(1) == refusal(.notRunning))
        #expect(!intake.offer(1).isAccepted)
    }

    @Test func offerWhileSubscribedIsDelivered() {
        let subscription = intake.elements(until: drain).note(in: log)
        #expect(intake.offer(1) == .accepted)
        #expect(log.text == "1")
        #expect(intake.unhandled == 0)
        subscription.dispose()
    }

    @Test func offerAfterStopIsRefused() {
        let subscription = intake.elements(until: drain).note(in: log)
        drain.stop()
        #expect(intake.offer(1) == refusal(.stopping))
        #expect(log.text == "completed")
        #expect(drain.running.isEmpty)
        subscription.dispose()
        #expect(intake.offer(1) == refusal(.stopping))
    }

    @Test func offerAfterDisposalIsRefused() {
        intake.elements(until: drain).note(in: log).dispose()
        #expect(intake.offer(1) == refusal(.notRunning))
        #expect(drain.running.isEmpty)
    }

    @Test func offerAboveTheBoundIsRefusedUntilAnElementIsHandled() {
        let subscription = work { [self] in wait($0) }
        let answers = [30, 10, 20, 40].map { intake.offer($0) }
        #expect(answers == [.accepted, .accepted, .accepted, refusal(.full, 3)])
        scheduler.advanceTo(10)
        #expect(intake.offer(50) == .accepted)
        #expect(intake.offer(60) == refusal(.full, 3))
        scheduler.start()
        #expect(log.text == "10@10 20@20 30@30 50@60")
        subscription.dispose()
    }

    /// Work that opens a resource, ends after `milliseconds` or at once, and closes the resource.
    private func usingResource(_ milliseconds: Int) -> Single<Int> {
        let source = milliseconds == 0 ? Single.just(0) : wait(milliseconds)
        return Single.using({ [log] in
            log("open")
            return CompositeDisposable(disposables: [Disposables.create { log("close") }])
        }) { _ in source }
    }

    @Test(arguments: [0, 10]) func workIsTornDownBeforeTheNextPieceStarts(milliseconds: Int) {
        let subscription = work(1) { _ in usingResource(milliseconds) }
        for element in 1...2 { #expect(intake.offer(element).isAccepted) }
        scheduler.start()
        let results = milliseconds == 0 ? ["0@0", "0@0"] : ["10@10", "10@20"]
        #expect(log.entries == ["open", "close", results[0], "open", "close", results[1]])
        subscription.dispose()
    }

    @Test func failedWorkIsTornDownBeforeTheNextPieceStarts() {
        let subscription = work(1) { element in
            element == 1 ? usingResource(10).map { _ -> Int in throw TestError.a } : usingResource(10)
        }
        for element in 1...2 { #expect(intake.offer(element).isAccepted) }
        scheduler.start()
        #expect(log.entries == ["open", "close", "a@10", "open", "close", "10@20"])
        subscription.dispose()
    }

    @Test func elementsOfAPausedChainWaitUpToTheBound() {
        let source = intake.elements(until: drain).paused(by: "p----r", on: scheduler, from: 0)
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.subscribe(observer)
        scheduler.advanceTo(1)
        #expect((1...4).map { intake.offer($0).isAccepted } == [true, true, true, false])
        drain.stop()
        #expect(observer.events.isEmpty)
        #expect(drain.running.counts == ["sources": 1, "orders": 3])
        scheduler.start()
        #expect(observer.events == [.next(5, 1), .next(5, 2), .next(5, 3), .completed(5)])
        #expect(drain.running.isEmpty)
        subscription.dispose()
    }

    @Test func boundBelowOneStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Intake<Int>(atMost: 0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("An intake needs room for at least one element (Intake, atMost: 0)"))
    }

    @Test func workBelowOneStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Intake<Int>(atMost: 1).handling(until: Drain(), atMost: 0) { .just($0) }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Work needs room for at least one element (handling, atMost: 0)"))
    }

    @Test func errorsAreSentences() {
        func text(_ reason: IntakeRefused.Reason) -> String {
            IntakeRefused(name: "orders", reason: reason, unhandled: 3).description
        }
        #expect(text(.stopping) == "The intake orders is stopping and accepts no elements.")
        #expect(text(.full) == "The intake orders is full: 3 accepted elements are not handled yet.")
        #expect(text(.notRunning) == "The intake orders accepts no elements: no pipeline is subscribed to it.")
        #expect(
            "\(IntakeDropped(name: "orders"))"
                == "The pipeline of the intake orders has ended before the element was handled.")
        #expect(
            "\(IntakeInUse(name: "orders"))"
                == "The intake orders has a subscription already. An intake feeds one pipeline.")
    }

    // MARK: The end

    @Test func stopWaitsForAcceptedWork() {
        let subscription = work(1) { [self] in wait($0) }
        for span in [30, 40] { #expect(intake.offer(span).isAccepted) }
        #expect(drain.running.counts == ["sources": 1, "orders": 2])
        let stop = drain.stop(within: .milliseconds(100), scheduler: scheduler)
            .subscribe(onSuccess: { [log, scheduler] in log("\($0)@\(scheduler.clock)") })
        #expect(!intake.offer(5).isAccepted)
        scheduler.start()
        #expect(log.text == "30@30 40@70 completed nothing@70" || log.text == "30@30 40@70 nothing@70 completed")
        for one in [subscription, stop] { one.dispose() }
    }

    @Test func stopNamesRemainingWork() {
        let subscription = work(1) { [self] in wait($0) }
        for span in [30, 400, 10] { #expect(intake.offer(span).isAccepted) }
        let stop = drain.stop(within: .milliseconds(100), scheduler: scheduler)
            .subscribe(onSuccess: { [log, scheduler] in log("\($0)@\(scheduler.clock)") })
        scheduler.advanceTo(100)
        #expect(log.text == "30@30 2 of orders, 1 of sources@100")
        subscription.dispose()
        #expect(drain.running.isEmpty)
        // The element whose work has not begun is left for the next pipeline.
        #expect(intake.unhandled == 1)
        scheduler.start()
        stop.dispose()
    }

    @Test func elementsOfAHopAreDeliveredBeforeTheCompletion() {
        let subscription = intake.elements(until: drain).observe(on: scheduler).note(in: log)
        for number in 1...3 { #expect(intake.offer(number).isAccepted) }
        drain.stop()
        #expect(log.text == "")
        scheduler.start()
        #expect(log.text == "1 2 3 completed")
        subscription.dispose()
    }

    @Test func offerOfAnObserverIsDeliveredAfterItsDelivery() {
        let subscription = intake.elements(until: drain).subscribe(onNext: { [intake, log, drain] number in
            log("<\(number)")
            if number < 100 { #expect(intake.offer(number + 1).isAccepted) }
            if number == 100 { drain.stop() }
            log("\(number)>")
        })
        #expect(intake.offer(98).isAccepted)
        #expect(log.text == "<98 98> <99 99> <100 100>")
        #expect(drain.running.isEmpty)
        subscription.dispose()
    }

    @Test func offerOfAnObserverForEverKeepsTheStackFlat() throws {
        let (intake, drain) = (intake, drain)
        let last = try runOnThread { () -> Int in
            nonisolated(unsafe) var last = 0
            let subscription = intake.elements(until: drain).subscribe(onNext: { number in
                last = number
                if number < 200_000 { _ = intake.offer(number + 1) }
            })
            _ = intake.offer(1)
            subscription.dispose()
            return last
        }
        #expect(last == 200_000)
    }

    // MARK: Work

    @Test func workRunsUpToItsLimitInOrder() {
        let subscription = work(2) { [self] span in
            log("begin \(span)")
            return wait(span)
        }
        for span in [50, 10, 20] { #expect(intake.offer(span).isAccepted) }
        #expect(log.text == "begin 50 begin 10")
        scheduler.start()
        #expect(log.text == "begin 50 begin 10 10@10 begin 20 20@30 50@50")
        subscription.dispose()
    }

    @Test func errorOfWorkIsAResultAndEndsNothing() {
        struct Thrown: Error {}
        let subscription = work { number in
            if number == 1 { throw Thrown() }
            return number == 2 ? .error(TestError.a) : .just(number)
        }
        for number in 1...3 { #expect(intake.offer(number).isAccepted) }
        #expect(log.text == "Thrown()@0 a@0 3@0")
        #expect(intake.unhandled == 0)
        subscription.dispose()
    }

    @Test func workRunsUnderTheDeadlineOfItsCaller() {
        let scheduler = scheduler
        let subscription = work(1) { [self] span in
            let left = Deadline.current.map { "\($0.remaining)" } ?? "none"
            return wait(span).do(onSuccess: { [log] _ in log(left) })
        }
        Deadline.$current.withValue(Deadline(in: .never, scheduler: scheduler)) { _ = intake.offer(10) }
        _ = intake.offer(20)
        Deadline.$current.withValue(Deadline(in: .milliseconds(50), scheduler: scheduler)) { _ = intake.offer(30) }
        scheduler.start()
        #expect(log.text == "never 10@10 none 20@30 \(RxTimeInterval.nanoseconds(20_000_000)) 30@60")
        subscription.dispose()
    }

    @Test func subscriptionDisposedDisposesTheWork() {
        let subscription = work { [log] _ in Single<Int>.never().do(onDispose: { log("disposed") }) }
        #expect(intake.offer(1).isAccepted)
        subscription.dispose()
        #expect(log.text == "disposed")
        #expect(intake.unhandled == 0)
        #expect(drain.running.isEmpty)
    }

    // MARK: Several subscriptions

    @Test func secondSubscriptionFailsAndFirstContinues() {
        let first = intake.elements(until: drain).note(in: log)
        let second = intake.elements(until: drain).note(in: log)
        #expect(log.text == "error(\(IntakeInUse(name: "orders")))")
        #expect(intake.offer(1).isAccepted)
        #expect(log.text == "error(\(IntakeInUse(name: "orders"))) 1")
        #expect(drain.running.counts == ["sources": 1])
        for one in [first, second] { one.dispose() }
    }

    @Test func elementsNotBegunWithGoToTheNextSubscription() {
        let first = work(1) { _ in .never() }
        for number in 1...3 { #expect(intake.offer(number).isAccepted) }
        first.dispose()
        #expect(intake.unhandled == 2)
        let next = Drain()
        let second = intake.handling(until: next) { .just($0) }.subscribe(onNext: { [log] in log("\(try! $0.get())") })
        #expect(log.text == "2 3")
        #expect(next.running.counts == ["sources": 1])
        second.dispose()
    }

    @Test func pipelineThatFailsAndRetriesLosesNoElementThatWaits() {
        let subscription = intake.elements(until: drain).do(onNext: { if $0 == 2 { throw TestError.a } })
            .retry(2).note(in: log)
        for number in 1...3 { #expect(intake.offer(number).isAccepted) }
        drain.stop()
        #expect(log.text == "1 3 completed")
        subscription.dispose()
    }

    @Test func newRunAfterAStopOpensTheIntake() {
        let first = intake.elements(until: drain).note(in: log)
        drain.stop()
        let next = Drain()
        let second = intake.elements(until: next).note(in: log)
        #expect(intake.offer(1).isAccepted)
        #expect(log.text == "completed 1")
        for one in [first, second] { one.dispose() }
    }

    @Test(arguments: [false, true]) func newRunAtTheCompletionOpensTheIntake(hasWork: Bool) {
        let (intake, log, next, second) = (intake, log, Drain(), SingleAssignmentDisposable())
        func elements(_ drain: Drain) -> Observable<Int> {
            hasWork ? intake.handling(until: drain) { .just($0) }.map { try $0.get() } : intake.elements(until: drain)
        }
        let (source, following) = (elements(drain), elements(next))
        let first = source.subscribe(onCompleted: { second.setDisposable(following.note(in: log)) })
        drain.stop()
        #expect(intake.offer(1).isAccepted)
        #expect(log.text == "1")
        for one in [first, second] as [any Disposable] { one.dispose() }
    }

    @Test func subscriptionUnderAStoppedDrainCompletesAndAcceptsNothing() {
        drain.stop()
        #expect(seen(intake.elements(until: drain)) == "completed")
        #expect(intake.offer(1) == refusal(.stopping))
    }

    // MARK: Waiting until it is handled

    @Test func handledReturnsWhenTheWorkHasEnded() throws {
        let (scheduler, intake, log) = (scheduler, intake, log)
        let subscription = work { [self] in wait($0) }
        try onVirtualTime(scheduler) {
            try await intake.handled(40)
            log("handled at \(scheduler.clock)")
        }
        #expect(log.text == "40@40 handled at 40")
        subscription.dispose()
    }

    @Test func handledReturnsWhenTheElementHasBeenDelivered() throws {
        let (scheduler, intake, log) = (scheduler, intake, log)
        let subscription = intake.elements(until: drain).note(in: log)
        try onVirtualTime(scheduler) {
            try await intake.handled(1)
            log("handled")
        }
        #expect(log.text == "1 handled")
        subscription.dispose()
    }

    @Test func handledReturnsIfTheObserverOfItsResultStopsTheDrain() throws {
        let (scheduler, intake, drain, log) = (scheduler, intake, drain, log)
        let subscription = intake.handling(until: drain) { [self] in wait($0) }
            .subscribe(onNext: { _ in drain.stop() }, onCompleted: { log("completed") })
        try onVirtualTime(scheduler) {
            try await intake.handled(40)
            log("handled")
        }
        #expect(log.text == "completed handled")
        #expect(drain.running.isEmpty)
        subscription.dispose()
    }

    @Test func handledThrowsTheErrorOfTheWork() throws {
        let (scheduler, intake) = (scheduler, intake)
        let subscription = work { _ in .error(TestError.a) }
        #expect(throws: TestError.a) { try onVirtualTime(scheduler) { try await intake.handled(1) } }
        subscription.dispose()
    }

    @Test func handledThrowsTheRefusal() throws {
        let (scheduler, intake) = (scheduler, intake)
        #expect(throws: IntakeRefused(name: "orders", reason: .notRunning, unhandled: 0)) {
            try onVirtualTime(scheduler) { try await intake.handled(1) }
        }
    }

    @Test func handledThrowsWhenThePipelineIsDisposedOf() throws {
        let (scheduler, intake, log) = (scheduler, intake, log)
        let subscription = work(1) { _ in .never() }
        scheduler.scheduleAt(20) { subscription.dispose() }
        try onVirtualTime(scheduler) {
            async let first: Void = intake.handled(1)
            async let second: Void = intake.handled(2)
            do { try await first } catch { log("\(error)@\(scheduler.clock)") }
            do { try await second } catch { log("\(error)@\(scheduler.clock)") }
        }
        let dropped = "\(IntakeDropped(name: "orders"))@20"
        #expect(log.text == "\(dropped) \(dropped)")
        #expect(intake.unhandled == 0)
    }

    @Test func handledCancelledEndsTheWaitAndNotTheWork() throws {
        let (scheduler, intake, log) = (scheduler, intake, log)
        let subscription = work { [self] in wait($0) }
        try onVirtualTime(scheduler) {
            let task = Task(executorPreference: TestClock(scheduler)) { try await intake.handled(50) }
            _ = try await Single<Int>.timer(.milliseconds(20), scheduler: scheduler).value
            task.cancel()
            do { try await task.value } catch { log("\(error is CancellationError)@\(scheduler.clock)") }
        }
        #expect(log.text == "true@20 50@50")
        subscription.dispose()
    }

    @Test func handledOfACancelledTaskOffersNothing() async {
        let (intake, log) = (intake, log)
        let subscription = intake.elements(until: drain).note(in: log)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await intake.handled(1)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "")
        subscription.dispose()
    }

    // MARK: Races

    @Test(arguments: [false, true]) func offersThatRaceTheStopAreDeliveredOrRefused(hasWork: Bool) throws {
        for round in 0..<200 {
            let (drain, intake) = (Drain(), Intake<Int>(atMost: 16))
            let (accepted, handled, ends) = (Guarded(Set<Int>()), Guarded([Int]()), Guarded(0))
            let pool = PthreadPoolScheduler(maxThreads: 2)
            let subscription =
                hasWork
                ? intake.handling(until: drain, atMost: 3) { number in
                    Single.just(number).observe(on: pool)
                }.subscribe(
                    onNext: { result in handled.withLock { $0.append(try! result.get()) } },
                    onCompleted: { ends.withLock { $0 += 1 } })
                : intake.elements(until: drain).subscribe(
                    onNext: { number in handled.withLock { $0.append(number) } },
                    onCompleted: { ends.withLock { $0 += 1 } })
            try runConcurrently(threads: 5) { index in
                if index == 4 {
                    while handled.withLock({ $0.count }) < round % 50 { sched_yield() }
                    return drain.stop()
                }
                var number = index
                while true {
                    switch intake.offer(number) {
                    case .accepted:
                        let sent = number
                        accepted.withLock { _ = $0.insert(sent) }
                    case .refused(let refusal):
                        if refusal.reason == .stopping { return }
                        // Without the yield, the offering threads would use the pool threads' processor time.
                        sched_yield()
                    }
                    number += 4
                }
            }
            #expect(comesTrue { ends.withLock { $0 } == 1 && drain.running.isEmpty })
            pool.shutdown(.drain)
            let got = handled.withLock { $0 }
            #expect(got.count == Set(got).count)
            #expect(Set(got) == accepted.withLock { $0 })
            #expect(ends.withLock { $0 } == 1)
            #expect(intake.unhandled == 0)
            subscription.dispose()
        }
    }

    @Test func elementsOfOneThreadKeepTheirOrder() throws {
        let (drain, intake, got) = (Drain(), Intake<Int>(atMost: .max), Guarded([Int]()))
        let subscription = intake.elements(until: drain).subscribe(onNext: { number in
            got.withLock { $0.append(number) }
        })
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { #expect(intake.offer(number * 4 + index).isAccepted) }
        }
        drain.stop()
        subscription.dispose()
        for index in 0..<4 {
            #expect(got.withLock { $0.filter { $0 % 4 == index } } == (0..<5_000).map { $0 * 4 + index })
        }
    }

    @Test func callersThatRaceTheDisposalAreAnswered() async {
        for _ in 0..<200 {
            let (drain, intake) = (Drain(), Intake<Int>(atMost: 100))
            let pool = PthreadPoolScheduler(maxThreads: 2)
            let subscription = SingleAssignmentDisposable()
            subscription.setDisposable(
                intake.handling(until: drain, atMost: 2) { Single.just($0).observe(on: pool) }.subscribe())
            let answered = await withTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            try await intake.handled(number)
                            return 1
                        } catch { return error is IntakeDropped || error is IntakeRefused ? 1 : 0 }
                    }
                }
                group.addTask {
                    subscription.dispose()
                    return 1
                }
                return await group.reduce(0, +)
            }
            #expect(answered == 21)
            // A delivery may end on the pool after `dispose` has returned.
            #expect(comesTrue { drain.running.isEmpty && intake.unhandled == 0 })
            pool.shutdown(.drain)
        }
    }

    @Test func releasedIntakeFreesElements() {
        let tracker = LifetimeTracker()
        do {
            let intake = Intake<LifetimeTracker.Tracked>(atMost: 3)
            let subscription = intake.handling(until: drain, atMost: 1) { _ in Single<Int>.never() }.subscribe()
            for _ in 0..<3 { #expect(intake.offer(tracker.make()).isAccepted) }
            subscription.dispose()
        }
        #expect(tracker.live == 0)
    }
}
