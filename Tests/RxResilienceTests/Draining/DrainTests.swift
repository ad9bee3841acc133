import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct DrainTests {
    private let scheduler = TestScheduler.milliseconds()
    private let drain = Drain()
    private let log = Log()

    private func stop(within span: RxTimeInterval = .milliseconds(100)) -> any Disposable {
        drain.stop(within: span, scheduler: scheduler)
            .subscribe(onSuccess: { [log, scheduler] in log("\($0)@\(scheduler.clock)") })
    }

    @Test func stopCompletesSources() {
        let source = scheduler.hot("--1--2--3", from: 0)
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(6) { [drain] in drain.stop() }
        scheduler.run { source.until(drain).subscribe(observer) }
        observer.expect("--1--2|", from: 0)
        source.expectSubscriptions("^-----!", from: 0)
        #expect(drain.isStopped)
        #expect(drain.running.isEmpty)
    }

    @Test func sourceAfterStopIsNotSubscribed() {
        drain.stop()
        drain.stop()
        #expect(seen(Observable.just(1).noteLifetime(in: log, as: "source").until(drain)) == "completed")
        #expect(log.text == "")
    }

    @Test func stopWithoutWorkAnswersAtOnce() {
        let subscription = stop()
        #expect(log.text == "nothing@0")
        subscription.dispose()
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func stopWithinZeroReportsLeftoverAtOnce() {
        let subscriptions = [
            Observable<Int>.never().until(drain).note(in: log),
            Observable<Int>.never().counted(by: drain).subscribe(), stop(within: .seconds(0)),
        ]
        #expect(log.text == "completed 1 of work@0")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func runningSubscriptionsAreCountedInTotal() {
        let subscriptions = ["charge", "order", "charge"].map {
            Observable<Int>.never().counted(by: drain, as: $0).subscribe()
        }
        #expect(!drain.running.isEmpty)
        #expect(drain.running.total == 3)
        for subscription in subscriptions { subscription.dispose() }
        #expect(drain.running.isEmpty)
        #expect(drain.running.total == 0)
    }

    @Test func stopReportsNothingOnceLastWorkEnds() {
        let orders = PublishSubject<Int>()
        let pipeline = orders.until(drain, as: "orders").flatMap { [scheduler, drain] order in
            Observable<Int>.timer(.milliseconds(order), scheduler: scheduler).counted(by: drain, as: "charge")
        }
        let subscription = pipeline.note(in: log)
        orders.onNext(30)
        orders.onNext(50)
        #expect(drain.running.description == "2 of charge, 1 of orders")
        scheduler.run { stop(within: .never) }
        orders.onNext(70)
        #expect(log.text == "0 0 nothing@50 completed")
        subscription.dispose()
    }

    @Test func stopReportsLeftoverAtDeadline() {
        let work = [30, 150, 160].map { [scheduler, drain] span in
            Observable<Int>.timer(.milliseconds(span), scheduler: scheduler).counted(by: drain, as: "charge")
                .subscribe()
        }
        scheduler.scheduleAt(120) { [drain, log] in log(drain.running) }
        scheduler.run { stop() }
        #expect(log.text == "2 of charge@100 2 of charge")
        #expect(drain.running.isEmpty)
        for one in work { one.dispose() }
    }

    @Test func stopWaitsForWorkOfElementInFlight() {
        let source = PublishSubject<Int>()
        let subscription = source.until(drain, as: "orders").flatMap { [drain, scheduler] _ in
            Observable<Int>.timer(.milliseconds(40), scheduler: scheduler).counted(by: drain)
        }.subscribe()
        let waiting = Guarded<(any Disposable)?>(nil)
        let first = source.subscribe(onNext: { _ in })
        let intake = source.until(drain, as: "intake").subscribe(onNext: { [self] _ in
            let stopping = stop(within: .never)
            waiting.withLock { $0 = stopping }
            log(drain.running)
        })
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "1 of work nothing@40")
        for one in [subscription, first, intake] { one.dispose() }
        waiting.withLock { $0 }?.dispose()
    }

    @Test func disposingOfTheWaitEndsItAndTheTimer() {
        let work = Observable<Int>.never().counted(by: drain).subscribe()
        let subscription = stop()
        subscription.dispose()
        scheduler.start()
        #expect(scheduler.clock == 0)
        work.dispose()
        #expect(log.text == "")
        #expect(drain.isStopped)
    }

    @Test func eachEndReducesCountOnce() {
        for source in [Observable<Int>.empty(), .error(TestError.a), .just(1)] {
            source.counted(by: drain).subscribe(onError: { _ in }).dispose()
            #expect(drain.running.isEmpty)
        }
        let subscription = Observable<Int>.never().counted(by: drain, as: "a").subscribe()
        #expect(drain.running.counts == ["a": 1])
        subscription.dispose()
        subscription.dispose()
        #expect(drain.running.isEmpty)
    }

    @Test func stopWaitsForWorkOfEachName() {
        let (order, charge) = (PublishSubject<Int>(), PublishSubject<Int>())
        let work = [order.counted(by: drain, as: "order"), charge.counted(by: drain, as: "charge")]
            .map { $0.subscribe() }
        let wait = stop(within: .never)
        order.onCompleted()
        #expect(log.text == "")
        charge.onCompleted()
        #expect(log.text == "nothing@0")
        for each in work + [wait] { each.dispose() }
    }

    @Test func totalCountsWorkOfAllNames() {
        let work = ["charge", "charge", "orders"].map { Observable<Int>.never().counted(by: drain, as: $0).subscribe() }
        #expect(drain.running.total == 3)
        for one in work { one.dispose() }
        #expect(drain.running.total == 0)
    }

    @Test(arguments: Form.allCases) func eachFormIsCountedAndCompletesOnStop(form: Form) {
        let drain = drain
        let source = Observable<Int>.never()
        let counted = form.apply(
            source, observable: { $0.counted(by: drain) }, single: { $0.counted(by: drain) },
            maybe: { $0.counted(by: drain) }, completable: { $0.counted(by: drain) })
        let until = form.apply(
            source, observable: { $0.until(drain) }, single: { $0.counted(by: drain, as: "sources") },
            maybe: { $0.until(drain) }, completable: { $0.until(drain) })
        let subscriptions = [counted.note(in: log), until.note(in: log)]
        #expect(drain.running.counts == ["work": 1, "sources": 1])
        drain.stop()
        #expect(log.text == (form == .single ? "" : "completed"))
        for subscription in subscriptions { subscription.dispose() }
        #expect(drain.running.isEmpty)
    }

    @Test(arguments: Form.allCases) func eachFormIsCountedUnderGivenName(form: Form) {
        let drain = drain
        let counted = form.apply(
            .never(), observable: { $0.counted(by: drain, as: "b") }, single: { $0.counted(by: drain, as: "b") },
            maybe: { $0.counted(by: drain, as: "b") }, completable: { $0.counted(by: drain, as: "b") })
        let until = form.apply(
            .never(), observable: { $0.until(drain, as: "a") }, single: { $0.counted(by: drain, as: "a") },
            maybe: { $0.until(drain, as: "a") }, completable: { $0.until(drain, as: "a") })
        let subscriptions = [counted, until].map { $0.subscribe() }
        #expect(drain.running.counts == ["a": 1, "b": 1])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func runCountsTaskUntilItReturns() throws {
        let (drain, scheduler, log) = (drain, scheduler, log)
        let left = try onVirtualTime(scheduler) {
            async let work: Void = drain.run(as: "work") {
                _ = try await Single<Int>.timer(.milliseconds(150), scheduler: scheduler).value
            }
            await Task.yield()
            let left = await drain.stop(within: .milliseconds(100), scheduler: scheduler)
            log(scheduler.clock)
            try await work
            return (left, await drain.stop(within: .milliseconds(100), scheduler: scheduler))
        }
        #expect(left.0.description == "1 of work")
        #expect(left.1.isEmpty)
        #expect(log.text == "100")
        #expect(scheduler.clock == 150)
    }

    @Test func eachStopReceivesItsOwnResult() {
        let work = Observable<Int>.timer(.milliseconds(50), scheduler: scheduler).counted(by: drain).subscribe()
        let waits = [stop(within: .milliseconds(20)), stop(within: .never), stop()]
        waits[2].dispose()
        scheduler.start()
        #expect(log.text == "1 of work@20 nothing@50")
        for one in waits + [work] { one.dispose() }
    }

    @Test func stopsAreAnsweredInOrder() {
        let work = Observable<Int>.never().counted(by: drain).subscribe()
        let waits = (0..<9).map { [drain, scheduler, log] wait in
            drain.stop(within: .never, scheduler: scheduler).subscribe(onSuccess: { _ in log(wait) })
        }
        work.dispose()
        #expect(log.text == "0 1 2 3 4 5 6 7 8")
        for wait in waits { wait.dispose() }
    }

    @Test func cancelledStopReturnsAtOnce() throws {
        let (drain, scheduler) = (drain, scheduler)
        let work = Observable<Int>.never().counted(by: drain).subscribe()
        let left = try onVirtualTime(scheduler) {
            try await withThrowingTaskGroup(of: Drain.Leftover.self) { group in
                group.addTask { await drain.stop(within: .seconds(100), scheduler: scheduler) }
                _ = try await Single<Int>.timer(.milliseconds(20), scheduler: scheduler).value
                group.cancelAll()
                return try await group.next()!
            }
        }
        #expect(left.description == "1 of work")
        #expect(scheduler.clock == 20)
        work.dispose()
    }

    @Test func stopWithConcurrentEndIsAnsweredOnce() throws {
        for _ in 0..<200 {
            let (drain, told) = (Drain(), Guarded(0))
            let sources = (0..<4).map { _ in PublishSubject<Int>() }
            let ended = Guarded(0)
            let subscriptions = sources.map { source in
                source.until(drain, as: "sources").counted(by: drain)
                    .subscribe(onCompleted: { ended.withLock { $0 += 1 } })
            }
            try runConcurrently(threads: 4) { [scheduler] index in
                switch index {
                case 0:
                    _ = drain.stop(within: .never, scheduler: scheduler)
                        .subscribe(onSuccess: { left in told.withLock { $0 += left.isEmpty ? 1 : 100 } })
                case 1: for source in sources { source.onNext(1) }
                case 2: for source in sources { source.onCompleted() }
                default: subscriptions[0].dispose()
                }
            }
            #expect(told.withLock { $0 } == 1)
            #expect(drain.running.isEmpty)
            #expect((3...4).contains(ended.withLock { $0 }))
        }
    }
}
