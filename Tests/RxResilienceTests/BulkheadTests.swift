import Dispatch
import RxResilience
import RxTest
import TestSupport
import Testing

struct BulkheadTests {
    private let log = Log()

    private func call(_ name: String, _ subject: PublishSubject<Int>, _ bulkhead: Bulkhead) -> any Disposable {
        subject.noteLifetime(in: log, as: name).admitted(by: bulkhead).note(in: log, as: name)
    }

    @Test func documentationDiagramMatchesBehavior() throws {
        let drawing = Drawing()
        let bulkhead = Bulkhead(2, waiting: 2)
        drawing.call("a", at: 0, lasts: 7) { $0.admitted(by: bulkhead) }
        drawing.call("b", at: 1, lasts: 12) { $0.admitted(by: bulkhead) }
        drawing.call("c", at: 2, lasts: 9, disposedAt: 11) { $0.admitted(by: bulkhead) }
        drawing.call("d", at: 3, lasts: 5, disposedAt: 5) { $0.admitted(by: bulkhead) }
        drawing.call("e", at: 4, lasts: 5) { $0.admitted(by: bulkhead) }
        drawing.call("f", at: 6, lasts: 6, fails: true) { $0.admitted(by: bulkhead) }
        try expectPage("Bulkheads", shows: drawing.run(until: 20))
        #expect(bulkhead.available == 2)
    }

    @Test func waitingCallIsAdmittedWhenACallEnds() {
        let bulkhead = Bulkhead(1, waiting: 2)
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        for (index, subject) in subjects.enumerated() { _ = call("abc".map(String.init)[index], subject, bulkhead) }
        #expect(log.take() == "a+")
        #expect(bulkhead.waiting == 2)
        subjects[0].onCompleted()
        #expect(log.take() == "a- b+ acompleted")
        subjects[1].onError(TestError.a)
        #expect(log.take() == "b- c+ berror(a)")
        subjects[2].onCompleted()
        #expect(log.take() == "c- ccompleted")
        #expect(bulkhead.available == 1)
    }

    @Test func callIsTornDownBeforeNextIsAdmittedOnDisposal() {
        let bulkhead = Bulkhead(1, waiting: 2)
        let first = call("a", PublishSubject(), bulkhead)
        let second = call("b", PublishSubject(), bulkhead)
        first.dispose()
        first.dispose()
        #expect(log.take() == "a+ a- b+")
        #expect(bulkhead.available == 0)
        second.dispose()
        #expect(bulkhead.available == 1)
    }

    @Test func callDisposedWhileWaitingNeverSubscribes() {
        let bulkhead = Bulkhead(1, waiting: 3)
        let first = call("a", PublishSubject(), bulkhead)
        let others = ["b", "c", "d"].map { call($0, PublishSubject(), bulkhead) }
        others[1].dispose()
        #expect(bulkhead.waiting == 2)
        first.dispose()
        others[0].dispose()
        #expect(log.take() == "a+ a- b+ b- d+")
        others[2].dispose()
        #expect(bulkhead.available == 1)
    }

    /// One call holds the permit, and two wait. If one disposal ends all three, no waiting call may start.
    @Test(arguments: [false, true]) func callsOfOneDisposalAdmitNoneOfEachOther(isDeep: Bool) {
        let bulkhead = Bulkhead(1, waiting: .max)
        let calls = ["a", "b", "c"].map { [log] name in
            Observable<Int>.never().noteLifetime(in: log, as: name).admitted(by: bulkhead)
        }
        let subscription = Observable.from(calls).flatMap { call in
            isDeep
                ? Observable.merge(call, call.timeout(between: .seconds(9), scheduler: TestScheduler(initialClock: 0)))
                : call
        }.subscribe()
        #expect(log.take() == "a+")
        subscription.dispose()
        #expect(log.text == "a-" && bulkhead.available == 1 && bulkhead.waiting == 0)
    }

    @Test func fullBulkheadFailsAtOnceWithItsName() {
        let bulkhead = Bulkhead(1, waiting: 1, name: "database")
        let running = call("a", PublishSubject(), bulkhead), waiting = call("b", PublishSubject(), bulkhead)
        nonisolated(unsafe) var failure: (any Error)?
        _ = Observable<Int>.just(1).admitted(by: bulkhead).subscribe(onError: { failure = $0 })
        #expect(failure as? BulkheadFull == BulkheadFull(name: "database", running: 1, waiting: 1))
        #expect("\(failure!)" == "The bulkhead database is full: 1 running, 1 waiting.")
        running.dispose()
        waiting.dispose()
        #expect(bulkhead.available == 1)
    }

    @Test func zeroPermitsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bulkhead(0)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A bulkhead needs at least one permit (Bulkhead, limit: 0)"))
    }

    @Test func callWithFreePermitDoesNotOccupyQueue() {
        let bulkhead = Bulkhead(1, waiting: 1)
        let log = log
        let first = Observable<Int>.deferred {
            _ = Observable.just(2).admitted(by: bulkhead).note(in: log, as: "b")
            return .empty()
        }
        // When `first` ends, the queued call has not taken its permit yet.
        _ = first.admitted(by: bulkhead).subscribe(onCompleted: {
            _ = Observable.just(3).admitted(by: bulkhead).note(in: log, as: "c")
        })
        #expect(log.text == "b2 bcompleted c3 ccompleted")
        #expect(bulkhead.available == 1)
    }

    @Test func rejectionErrorCountsRunningCallsNotPermits() {
        let bulkhead = Bulkhead(1, waiting: 1)
        nonisolated(unsafe) var failure: BulkheadFull?
        let first = Observable<Int>.deferred {
            _ = Observable.just(2).admitted(by: bulkhead).subscribe()
            return .empty()
        }
        // The queued call has not taken the permit yet, so no call runs. Call 3 waits, and call 4 is rejected.
        _ = first.admitted(by: bulkhead).subscribe(onCompleted: {
            _ = Observable.just(3).admitted(by: bulkhead).subscribe()
            _ = Observable.just(4).admitted(by: bulkhead).subscribe(onError: { failure = $0 as? BulkheadFull })
        })
        #expect(failure == BulkheadFull(name: "bulkhead", running: 0, waiting: 2))
        #expect(bulkhead.available == 1)
    }

    @Test func permitIsReturnedBeforeEndIsSent() {
        let bulkhead = Bulkhead(1)
        #expect(
            seen(Observable.just(1).admitted(by: bulkhead).concat(Observable.just(2).admitted(by: bulkhead)))
                == "1 2 completed")
        let failing = Observable<Int>.error(TestError.a).admitted(by: bulkhead)
        #expect(seen(failing.catch { _ in Observable.just(3).admitted(by: bulkhead) }) == "3 completed")
        #expect(bulkhead.available == 1)
    }

    @Test func permitOfSingleIsReturnedBeforeElementIsSent() {
        let bulkhead = Bulkhead(1)
        let both = Single.just(1).admitted(by: bulkhead)
            .flatMap { first in Single.just(first + 1).admitted(by: bulkhead) }
        #expect(seen(both.asObservable()) == "2 completed")
    }

    private struct Resource: Disposable {
        let give: () -> Void

        func dispose() { give() }
    }

    private func using(_ name: String, _ source: Observable<Int>, _ bulkhead: Bulkhead) -> Observable<Int> {
        .using({ [log] in
            log("take \(name)")
            return Resource { log("give \(name), \(bulkhead.available) free") }
        }) { _ in source }
    }

    enum CallEnd: CaseIterable {
        case completes, fails, answersAsSingle
    }

    @Test(arguments: CallEnd.allCases) func callAdmittedAtAnEndFindsPreviousResourceReleased(end: CallEnd) {
        let (bulkhead, first) = (Bulkhead(1, waiting: 1), PublishSubject<Int>())
        let call = using("a", first, bulkhead)
        if end == .answersAsSingle {
            _ = call.asSingle().admitted(by: bulkhead).asObservable().note(in: log, as: "a")
        } else {
            _ = call.admitted(by: bulkhead).note(in: log, as: "a")
        }
        let second = using("b", .never(), bulkhead).admitted(by: bulkhead).subscribe()
        if end == .answersAsSingle { first.onNext(1) }
        if end == .fails { first.onError(TestError.a) } else { first.onCompleted() }
        let told = ["acompleted", "aerror(a)", "a1 acompleted"][CallEnd.allCases.firstIndex(of: end)!]
        #expect(log.text == "take a give a, 0 free take b \(told)")
        second.dispose()
    }

    @Test(arguments: [false, true]) func synchronousCallReleasesResourceBeforePermit(isCreated: Bool) {
        let (bulkhead, log) = (Bulkhead(1), log)
        let created = Observable<Int>.create { observer in
            log("take a")
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log("give a, \(bulkhead.available) free") }
        }
        _ = (isCreated ? created : using("a", .just(1), bulkhead)).admitted(by: bulkhead).subscribe(
            onNext: { log($0) },
            onCompleted: {
                log("over, \(bulkhead.available) free")
                _ = self.using("b", .empty(), bulkhead).admitted(by: bulkhead).note(in: log, as: "b")
            })
        #expect(log.text == "take a 1 give a, 0 free over, 1 free take b give b, 0 free bcompleted")
    }

    @Test func synchronousFailureReleasesResourceBeforeRetry() {
        let bulkhead = Bulkhead(1)
        let failing = using("a", .error(TestError.a), bulkhead).admitted(by: bulkhead)
        _ = failing.retry(2).note(in: log, as: "a")
        #expect(log.text == "take a give a, 0 free take a give a, 0 free aerror(a)")
    }

    @Test func endOnAnotherThreadDoesNotWaitForSubscribeToReturn() {
        let (bulkhead, log) = (Bulkhead(1), log)
        let first = Observable<Int>.create { observer in
            #expect(throws: Never.self) { try runOnThread { observer.onCompleted() } }
            log("subscribed")
            return Disposables.create { log("gone") }
        }
        _ = first.do(onDispose: { log("give a, \(bulkhead.available) free") }).admitted(by: bulkhead)
            .note(in: log, as: "a")
        #expect(log.text == "acompleted subscribed gone give a, 1 free")
        #expect(bulkhead.available == 1)
    }

    /// Completing `first` admits the second call. The second call's source loops until the permit has been returned.
    @Test func permitIsReturnedBeforeLoopOnAdmittingThreadEnds() {
        let (bulkhead, first) = (Bulkhead(1, waiting: 1), PublishSubject<Int>())
        _ = first.admitted(by: bulkhead).subscribe()
        nonisolated(unsafe) var turns = 0
        _ = Observable.of(1, 2).admitted(by: bulkhead)
            .flatMap { _ in
                Observable.repeatElement(0).take(while: { _ in
                    turns += 1
                    return bulkhead.available == 0 && turns < 10_000
                })
            }
            .subscribe()
        first.onCompleted()
        #expect(turns < 10_000 && bulkhead.available == 1)
    }

    @Test func traitsTakeAndReturnPermits() {
        let bulkhead = Bulkhead(1)
        nonisolated(unsafe) var free: [Int] = []
        let look = { @Sendable in free.append(bulkhead.available) }
        #expect(seen(Single.just(1).do(onSubscribe: look).admitted(by: bulkhead).asObservable()) == "1 completed")
        #expect(seen(Maybe.just(1).do(onSubscribe: look).admitted(by: bulkhead).asObservable()) == "1 completed")
        #expect(seen(Maybe<Int>.empty().do(onSubscribe: look).admitted(by: bulkhead).asObservable()) == "completed")
        #expect(seen(Completable.empty().do(onSubscribe: look).admitted(by: bulkhead).asObservable()) == "completed")
        #expect(free == [0, 0, 0, 0])
        #expect(bulkhead.available == 1)
    }

    @Test func sourceDisposedByItsElementReturnsPermit() {
        let bulkhead = Bulkhead(1)
        #expect(seen(Observable.of(1, 2, 3).admitted(by: bulkhead).take(1)) == "1 completed")
        #expect(bulkhead.available == 1)
    }

    @Test func callDisposedDuringAdmissionReturnsItsPermit() {
        let bulkhead = Bulkhead(1, waiting: 2)
        let first = call("a", PublishSubject(), bulkhead)
        let own = SingleAssignmentDisposable()
        let suicidal = Observable<Int>.deferred { [log] in
            own.dispose()
            log("free \(bulkhead.available)")
            return .never()
        }
        own.setDisposable(suicidal.noteLifetime(in: log, as: "b").admitted(by: bulkhead).subscribe())
        let third = call("c", PublishSubject(), bulkhead)
        first.dispose()
        // `b` uses its permit until its source is torn down.
        #expect(log.text == "a+ a- b+ free 0 b- c+")
        third.dispose()
        #expect(bulkhead.available == 1)
    }

    @Test func hundredThousandImmediateCallsFitSmallStack() throws {
        let bulkhead = Bulkhead(1, waiting: .max)
        let first = PublishSubject<Int>()
        _ = first.admitted(by: bulkhead).subscribe()
        nonisolated(unsafe) var ends = 0
        for _ in 0..<100_000 {
            _ = Observable<Int>.empty().admitted(by: bulkhead).subscribe(onCompleted: { ends += 1 })
        }
        let total = try runOnThread(stackSize: 512 * 1024) {
            first.onCompleted()
            return ends
        }
        #expect(total == 100_000)
        #expect(bulkhead.available == 1)
    }

    /// Each call that completes makes a new call, so the queue stays occupied for about a thousand calls.
    @Test(arguments: [false, true]) func endIsPassedOnBeforeLaterAdmissionsFinish(fails: Bool) {
        let (bulkhead, first, log) = (Bulkhead(1, waiting: .max), PublishSubject<Int>(), log)
        nonisolated(unsafe) var calls = 0
        @Sendable func follow() {
            _ = Observable<Int>.empty().admitted(by: bulkhead).subscribe(onCompleted: {
                calls += 1
                if calls < 1_000 { follow() }
            })
        }
        let isOver = { @Sendable in log("over after \(calls)") }
        _ = first.do(onDispose: { log("gone after \(calls)") }).admitted(by: bulkhead)
            .subscribe(onError: { _ in isOver() }, onCompleted: isOver)
        for _ in 0..<2 { follow() }
        if fails { first.onError(TestError.a) } else { first.onCompleted() }
        #expect(log.text == "gone after 0 over after 1")
        #expect(calls == 1_001 && bulkhead.waiting == 0 && bulkhead.available == 1)
    }

    @Test func waitingCallStartsBeforePreviousEndIsPassedOn() {
        let (bulkhead, first, log) = (Bulkhead(1, waiting: 1), PublishSubject<Int>(), log)
        let second = SingleAssignmentDisposable()
        _ = first.admitted(by: bulkhead).subscribe(onCompleted: {
            second.dispose()
            log("free \(bulkhead.available)")
        })
        second.setDisposable(call("b", PublishSubject(), bulkhead))
        first.onCompleted()
        #expect(log.text == "b+ b- free 1")
    }

    @Test func callArrivingDuringAnEndServesQueueFirst() {
        let (bulkhead, first, log) = (Bulkhead(1, waiting: 9), PublishSubject<Int>(), log)
        _ = first.admitted(by: bulkhead).subscribe(onCompleted: {
            _ = Observable.just(2).admitted(by: bulkhead).note(in: log, as: "d")
            log("over")
        })
        _ = Observable<Int>.empty().admitted(by: bulkhead).note(in: log, as: "b")
        _ = Observable.just(1).admitted(by: bulkhead).note(in: log, as: "c")
        first.onCompleted()
        #expect(log.text == "bcompleted c1 ccompleted d2 dcompleted over")
        #expect(bulkhead.available == 1)
    }

    @Test func callOnAnotherThreadDuringAnEndServesQueueFirst() {
        let (bulkhead, first, log) = (Bulkhead(1, waiting: 9), PublishSubject<Int>(), log)
        let (isPassedOn, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        _ = first.admitted(by: bulkhead).subscribe()
        _ = Observable.just(0).admitted(by: bulkhead).subscribe(onCompleted: {
            isPassedOn.signal()
            log(isDone.wait(timeout: .now() + 10) == .success)
        })
        _ = Observable<Int>.empty().admitted(by: bulkhead).note(in: log, as: "c")
        DispatchQueue.global().async {
            isPassedOn.wait()
            _ = Observable.just(1).admitted(by: bulkhead).subscribe(onCompleted: { isDone.signal() })
        }
        first.onCompleted()
        #expect(log.text == "ccompleted true")
    }

    @Test func endOnOtherThreadDuringSubscriptionAdmitsNextCall() {
        let (bulkhead, log) = (Bulkhead(1, waiting: 1), log)
        let first = Observable<Int>.create { observer in
            _ = Observable.just(1).admitted(by: bulkhead).note(in: log, as: "b")
            #expect(throws: Never.self) { try runOnThread { observer.onCompleted() } }
            log("started")
            return Disposables.create()
        }
        _ = first.admitted(by: bulkhead).note(in: log, as: "a")
        #expect(log.text == "b1 bcompleted acompleted started")
        #expect(bulkhead.available == 1)
    }

    @Test func callEndingDuringAnotherEndAdmitsNext() {
        let (bulkhead, log) = (Bulkhead(2, waiting: 9), log)
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        _ = first.admitted(by: bulkhead).subscribe(onCompleted: {
            log("acompleted")
            second.onCompleted()
            log("waiting \(bulkhead.waiting)")
        })
        _ = call("b", second, bulkhead)
        for name in ["c", "d", "e"] { _ = Observable<Int>.empty().admitted(by: bulkhead).note(in: log, as: name) }
        first.onCompleted()
        #expect(log.text == "b+ ccompleted acompleted b- dcompleted bcompleted ecompleted waiting 0")
        #expect(bulkhead.available == 2)
    }

    @Test func callDisposedDuringSubscriptionOfAnotherLeavesNoneWaiting() {
        // Subscribing to `c` disposes of `a`. The permit of `a` then admits `d`.
        let bulkhead = Bulkhead(2, waiting: 4)
        let blocker = PublishSubject<Int>()
        nonisolated(unsafe) let first = call("a", PublishSubject(), bulkhead)
        _ = call("b", blocker, bulkhead)
        let second = Observable<Int>.deferred {
            first.dispose()
            return .never()
        }
        let subscriptions = [
            second.noteLifetime(in: log, as: "c").admitted(by: bulkhead).subscribe(),
            call("d", PublishSubject(), bulkhead),
        ]
        blocker.onCompleted()
        #expect(bulkhead.waiting == 0)
        #expect(bulkhead.available == 0)
        for subscription in subscriptions { subscription.dispose() }
        #expect(bulkhead.available == 2)
    }

    @Test func endedAndDisposedCallsAreFreed() {
        let tracker = LifetimeTracker()
        let bulkhead = Bulkhead(1, waiting: 1)
        let first = PublishSubject<Int>()
        let subscription = first.map { [object = tracker.make()] _ in object.value }.admitted(by: bulkhead).subscribe()
        let waiting = Observable.just(1).map { [object = tracker.make()] _ in object.value }
            .admitted(by: bulkhead).subscribe()
        #expect(tracker.live == 2)
        waiting.dispose()
        #expect(tracker.live == 1)
        first.onCompleted()
        #expect(tracker.live == 0)
        withExtendedLifetime(subscription) {}
    }

    // MARK: Tasks

    @Test func workHasAPermitWhileItLasts() async throws {
        let bulkhead = Bulkhead(1)
        let free = try await bulkhead.run { bulkhead.available }
        #expect(free == 0)
        #expect(bulkhead.available == 1)
        await #expect(throws: TestError.a) { try await bulkhead.run { throw TestError.a } }
        #expect(bulkhead.available == 1)
    }

    @MainActor @Test func workStaysOnItsCallersActor() async throws {
        let bulkhead = Bulkhead(1)
        var count = 0
        try await bulkhead.run {
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }

    @Test func workWaitsForItsTurn() async throws {
        let bulkhead = Bulkhead(1, waiting: 2)
        let first = call("a", PublishSubject(), bulkhead)
        async let result = bulkhead.run { bulkhead.available }
        #expect(try await eventually { bulkhead.waiting == 1 })
        first.dispose()
        #expect(try await result == 0)
        #expect(bulkhead.available == 1)
    }

    @Test func fullBulkheadRefusesWork() async throws {
        let bulkhead = Bulkhead(1)
        let first = call("a", PublishSubject(), bulkhead)
        await #expect(throws: BulkheadFull.self) { try await bulkhead.run {} }
        first.dispose()
        #expect(bulkhead.available == 1)
    }

    @Test func cancelledWaitingTaskLeavesQueue() async throws {
        let bulkhead = Bulkhead(1, waiting: 1)
        let first = call("a", PublishSubject(), bulkhead)
        let log = log
        let task = Task { try await bulkhead.run { log("work") } }
        #expect(try await eventually { bulkhead.waiting == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bulkhead.waiting == 0)
        first.dispose()
        #expect(bulkhead.available == 1)
        #expect(log.text == "a+ a-")
    }

    @Test func taskCancelledBeforeRunDoesNotStartWork() async throws {
        let bulkhead = Bulkhead(1)
        let log = log
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await bulkhead.run { log("work") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "")
        #expect(bulkhead.available == 1)
    }

    @Test(arguments: [1, 0]) func taskCancelledBeforeRunNeitherWaitsNorIsRefused(places: Int) throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let bulkhead = Bulkhead(1, waiting: places)
            let first = Observable<Int>.never().admitted(by: bulkhead).subscribe()
            Task(executorPreference: TestClock(scheduler)) {
                withUnsafeCurrentTask { $0?.cancel() }
                do { try await bulkhead.run { log("work") } } catch { log(error is CancellationError) }
            }
            scheduler.start()
            log(bulkhead.waiting)
            first.dispose()
        }
        #expect(log.text == "true 0")
    }

    @Test func taskCancelledAfterAdmissionReturnsPermit() throws {
        let log = log
        try runOnThread {
            let scheduler = TestScheduler(initialClock: 0)
            let bulkhead = Bulkhead(1, waiting: 1)
            let first = Observable<Int>.never().admitted(by: bulkhead).subscribe()
            let task = Task(executorPreference: TestClock(scheduler)) {
                do { try await bulkhead.run { log("work") } } catch { log(error is CancellationError) }
            }
            scheduler.scheduleAt(5) {
                log(bulkhead.waiting)
                first.dispose()
                log(bulkhead.available)
                // The task has been resumed but has not run yet.
                task.cancel()
            }
            scheduler.start()
            log(bulkhead.available)
        }
        #expect(log.text == "1 0 true 1")
    }

    @Test func cancelledWorkKeepsPermitUntilItReturns() async throws {
        let bulkhead = Bulkhead(1)
        let log = log
        let task = Task {
            try await bulkhead.run {
                withUnsafeCurrentTask { $0?.cancel() }
                log(bulkhead.available)
            }
        }
        try await task.value
        #expect(log.text == "0")
        #expect(bulkhead.available == 1)
    }
}
