import RxResilience
import RxTest
import TestSupport
import Testing

struct SingleFlightTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    @Test func documentationDiagramMatchesBehavior() throws {
        let drawing = Drawing()
        let scheduler = drawing.scheduler
        let flights = SingleFlight<String, Int>(ttl: .seconds(4), scheduler: scheduler)
        nonisolated(unsafe) var calls: [ClosedRange<Int>] = []
        func ask(_ name: String, at time: Int, disposedAt disposal: Int? = nil) {
            let fetch = { @Sendable () -> Single<Int> in
                let began = scheduler.clock
                calls.append(began...Int.max)
                return scheduler.createColdObservable([.next(5, 1), .completed(5)]).asSingle()
                    .do(onDispose: { calls[calls.count - 1] = began...scheduler.clock })
            }
            drawing.call(name, at: time, lasts: 1_000, disposedAt: disposal) { call in
                // Subscribing to `call` marks the time of the request, at which the caller's row begins.
                Observable.deferred {
                    _ = call.subscribe().dispose()
                    return flights.value(for: "key", fetch).asObservable()
                }
            }
        }
        drawing.row("the call") { step in
            guard let call = calls.first(where: { $0.contains(step) }) else { return " " }
            return step == call.upperBound ? "|" : "="
        }
        ask("a", at: 1)
        ask("b", at: 3)
        ask("c", at: 8)
        ask("d", at: 12, disposedAt: 14)
        ask("e", at: 13, disposedAt: 15)
        try expectPage("SingleFlights", shows: drawing.run(until: 18))
        #expect(flights.count == 0)
    }

    @Test func callerDuringACallSharesIt() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        let answer = PublishSubject<Int>()
        let ask = { (name: String) in
            flights.value(for: 1) { answer.noteLifetime(in: log, as: "call").asSingle() }.asObservable()
                .note(in: log, as: name)
        }
        _ = ask("a")
        _ = ask("b")
        #expect(flights.count == 1)
        answer.onNext(7)
        #expect(log.take() == "call+")
        answer.onCompleted()
        #expect(log.take() == "a7 acompleted b7 bcompleted call-")
        #expect(flights.count == 0)
    }

    @Test func callerBetweenValueAndEndSharesTheCall() {
        let (flights, log) = (SingleFlight<Int, Int>(scheduler: scheduler), log)
        let call = Single.just(7).do(afterSuccess: { _ in
            _ = flights.value(for: 1) { .just(8) }.asObservable().note(in: log, as: "b")
        })
        _ = flights.value(for: 1) { call }.asObservable().note(in: log, as: "a")
        #expect(log.text == "a7 acompleted b7 bcompleted")
    }

    @Test func keysHaveCallsOfTheirOwn() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        let values = Observable.merge((1...3).map { key in flights.value(for: key) { .just(key * 10) }.asObservable() })
        #expect(seen(values) == "10 20 30 completed")
    }

    private struct Key: Hashable {
        let name: String
        func hash(into hasher: inout Hasher) {}
    }

    @Test func keysOfTheSameHashHaveCallsOfTheirOwn() {
        let flights = SingleFlight<Key, String>(ttl: .seconds(10), scheduler: scheduler)
        for round in 0..<2 {
            for name in ["a", "b", "c"] {
                let value = flights.value(for: Key(name: name)) { .just("\(name)\(round)") }
                #expect(seen(value.asObservable()) == "\(name)0 completed")
            }
        }
        #expect(flights.count == 3)
        flights.forget(Key(name: "b"))
        #expect(flights.count == 2)
        #expect(seen(flights.value(for: Key(name: "b")) { .just("new") }.asObservable()) == "new completed")
        scheduler.start()
        #expect(flights.count == 0)
    }

    @Test func removedKeyLeavesKeysOfSameHash() {
        let (flights, answer) = (SingleFlight<Key, Int>(scheduler: scheduler), PublishSubject<Int>())
        let ask = { (name: String) in
            flights.value(for: Key(name: "a")) { answer.noteLifetime(in: log, as: "call").asSingle() }.asObservable()
                .note(in: log, as: name)
        }
        _ = ask("a")
        #expect(seen(flights.value(for: Key(name: "b")) { .just(1) }.asObservable()) == "1 completed")
        #expect(flights.count == 1)
        _ = ask("b")
        answer.onNext(7)
        answer.onCompleted()
        #expect(log.text == "call+ a7 acompleted b7 bcompleted call-")
    }

    /// All keys have the same hash value, so a lookup compares them. The next comparison removes the closure from
    /// `whenCompared` and calls it.
    private struct ComparedKey: Hashable, Sendable {
        let name: String
        let whenCompared: Guarded<(@Sendable () -> Void)?>

        static func == (left: ComparedKey, right: ComparedKey) -> Bool {
            left.whenCompared.withLock { $0.take() }?()
            return left.name == right.name
        }

        func hash(into hasher: inout Hasher) {}
    }

    @Test func callerDuringKeyComparisonSharesTheCall() {
        let (flights, log) = (SingleFlight<ComparedKey, Int>(scheduler: scheduler), log)
        let (whenCompared, calls) = (Guarded<(@Sendable () -> Void)?>(nil), CompositeDisposable())
        let ask: @Sendable (String) -> Void = { name in
            let key = ComparedKey(name: name, whenCompared: whenCompared)
            let call = flights.value(for: key) { Observable<Int>.never().noteLifetime(in: log, as: name).asSingle() }
            _ = calls.insert(call.subscribe())
        }
        ask("a")
        whenCompared.withLock { $0 = { ask("b") } }
        ask("b")
        #expect(log.text == "a+ b+")
        #expect(flights.count == 2)
        calls.dispose()
    }

    @Test func valueIsCachedForTTL() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler)
        let log = log, scheduler = scheduler
        for time in [0, 9, 10, 11] {
            scheduler.scheduleAt(time) {
                _ = flights.value(for: 1) { .just(scheduler.clock) }.subscribe(onSuccess: { log("\(time):\($0)") })
            }
        }
        scheduler.scheduleAt(19) { log(flights.count) }
        scheduler.start()
        #expect(log.text == "0:0 9:0 10:10 11:10 1")
        #expect(flights.count == 0)
    }

    @Test func expiredValuesAreFreedByTimer() {
        let tracker = LifetimeTracker()
        let flights = SingleFlight<Int, LifetimeTracker.Tracked>(ttl: .seconds(10), scheduler: scheduler)
        let log = log
        for key in 0..<5 {
            scheduler.scheduleAt(key) { _ = flights.value(for: key) { .just(tracker.make()) }.subscribe() }
        }
        for time in [9, 11, 12, 20] { scheduler.scheduleAt(time) { log("\(time):\(tracker.live)") } }
        scheduler.start()
        // At 11 and 12, the count is logged before the timer for the same time runs.
        #expect(log.text == "9:5 11:4 12:3 20:0")
        #expect(flights.count == 0)
    }

    @Test func coarseClockTimerExpiresValueWhenItFires() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let counting = CountingScheduler(scheduler, stoppedAfter: 1_000)
        let flights = SingleFlight<Int, Int>(ttl: .milliseconds(1_400), scheduler: counting)
        _ = flights.value(for: 1) { .just(2) }.subscribe()
        scheduler.start()
        #expect(flights.count == 0 && scheduler.clock == 1 && counting.timers == 1)
    }

    @Test func releasedCacheFreesValues() {
        let tracker = LifetimeTracker()
        var flights: SingleFlight? = SingleFlight<Int, LifetimeTracker.Tracked>(ttl: .seconds(10), scheduler: scheduler)
        for key in 0..<3 { _ = flights!.value(for: key) { .just(tracker.make()) }.subscribe() }
        #expect(tracker.live == 3)
        flights = nil
        #expect(tracker.live == 0)
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func expiredValueIsNotCountedBesideNewCall() {
        let (flights, log) = (SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler), log)
        let asks = SerialDisposable()
        // This action and the expiry timer are due at 10. The action was scheduled first, so it runs first.
        scheduler.scheduleAt(10) {
            asks.disposable = flights.value(for: 1) { .never() }.subscribe()
            log(flights.count)
        }
        _ = flights.value(for: 1) { .just(2) }.subscribe()
        scheduler.start()
        #expect(log.text == "1")
        asks.dispose()
        #expect(flights.count == 0)
    }

    @Test func oldestValueIsEvictedAtCapacity() {
        let tracker = LifetimeTracker()
        let flights = SingleFlight<Int, LifetimeTracker.Tracked>(ttl: .seconds(10), capacity: 2, scheduler: scheduler)
        for key in 0..<5 { _ = flights.value(for: key) { .just(tracker.make(key)) }.subscribe() }
        #expect(tracker.live == 2)
        #expect(seen(flights.value(for: 4) { .error(TestError.a) }.asObservable()) == "4 completed")
        #expect(seen(flights.value(for: 2) { .error(TestError.a) }.asObservable()) == "error(a)")
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test func zeroCapacityCachesNothing() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), capacity: 0, scheduler: scheduler)
        #expect(seen(flights.value(for: 1) { .just(2) }.asObservable()) == "2 completed")
        #expect(flights.count == 0)
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func errorReachesAllCallersAndIsNotCached() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler)
        let answer = PublishSubject<Int>()
        for name in ["a", "b"] {
            _ = flights.value(for: 1) { answer.asSingle() }.asObservable().note(in: log, as: name)
        }
        answer.onError(TestError.a)
        #expect(log.text == "aerror(a) berror(a)")
        #expect(seen(flights.value(for: 1) { .just(2) }.asObservable()) == "2 completed")
        #expect(seen(flights.value(for: 2) { throw TestError.b }.asObservable()) == "error(b)")
        scheduler.start()
    }

    @Test func callSharedByCallersHasNoDeadline() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        let answer = PublishSubject<Int>()
        let call = {
            flights.value(for: 1) { [log] in
                log(Deadline.current == nil ? "none" : "one")
                return answer.asSingle()
            }.asObservable()
        }
        let hasty = call().deadline(in: .seconds(5), scheduler: scheduler).subscribe(onError: { [log] in log($0) })
        let patient = call().note(in: log, as: "b")
        scheduler.start()
        answer.onNext(1)
        answer.onCompleted()
        #expect(log.text == "none timeout: deadline exceeded 5 s b1 bcompleted")
        for one in [hasty, patient] { one.dispose() }
    }

    @Test func callerAfterAnErrorMakesNewCall() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        nonisolated(unsafe) var calls = 0
        let value = flights.value(for: 1) {
            calls += 1
            return calls < 3 ? .error(TestError.a) : .just(calls)
        }
        #expect(seen(value.retry(5).asObservable()) == "3 completed")
    }

    @Test func theLastDisposalEndsTheCall() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler)
        let ask = {
            flights.value(for: 1) { Observable.never().noteLifetime(in: log, as: "").asSingle() }.subscribe()
        }
        let first = ask(), second = ask()
        first.dispose()
        first.dispose()
        #expect(log.take() == "+")
        second.dispose()
        #expect(log.take() == "-")
        #expect(flights.count == 0)
        ask().dispose()
        #expect(log.take() == "+ -")
    }

    @Test func forgottenKeyIsRequestedAgain() throws {
        // Room for one value: if the forgotten call's value were stored, it would replace the new one.
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), capacity: 1, scheduler: scheduler)
        let old = PublishSubject<Int>()
        let waiting = flights.value(for: 1) { old.noteLifetime(in: log, as: "old").asSingle() }.asObservable()
            .note(in: log, as: "a")
        flights.forget(1)
        #expect(seen(flights.value(for: 1) { .just(2) }.asObservable()) == "2 completed")
        old.onNext(1)
        old.onCompleted()
        #expect(log.take() == "old+ a1 acompleted old-")
        try #require(seen(flights.value(for: 1) { .just(3) }.asObservable()) == "2 completed")
        flights.forget(1)
        #expect(seen(flights.value(for: 1) { .just(3) }.asObservable()) == "3 completed")
        scheduler.start()
        waiting.dispose()
        #expect(flights.count == 0)
    }

    @Test func forgettingLastValueCancelsTimer() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler)
        #expect(seen(flights.value(for: 1) { .just(2) }.asObservable()) == "2 completed")
        flights.forget(1)
        scheduler.start()
        #expect(scheduler.clock == 0)
    }

    @Test func forgettingAKeyKeepsExpiryOfOtherKeys() {
        let flights = SingleFlight<Int, Int>(ttl: .seconds(10), scheduler: scheduler)
        for key in 1...2 { #expect(seen(flights.value(for: key) { .just(key) }.asObservable()) == "\(key) completed") }
        flights.forget(1)
        #expect(flights.count == 1)
        scheduler.start()
        #expect(scheduler.clock == 10)
        #expect(flights.count == 0)
    }

    @Test func disposedCallerIsFreedWhileCallContinues() {
        let (flights, tracker) = (SingleFlight<Int, Int>(scheduler: scheduler), LifetimeTracker())
        let ask = { flights.value(for: 1) { .never() }.subscribe(onSuccess: { [held = tracker.make()] _ in _ = held }) }
        let first = ask(), second = ask()
        #expect(tracker.live == 2)
        first.dispose()
        #expect(tracker.live == 1)
        second.dispose()
        #expect(tracker.live == 0)
    }

    #if canImport(Glibc)
        @Test func keysThatHaveGoneTakeNoMemory() async {
            await #expect(processExitsWith: .success) {
                func ask(_ keys: Range<Int>, _ flights: SingleFlight<Int, Int>) {
                    for key in keys { _ = flights.value(for: key) { .just(key) }.subscribe() }
                }
                let flights = SingleFlight<Int, Int>()
                ask(0..<1_000, flights)
                let before = residentBytes()
                ask(1_000..<100_000, flights)
                precondition(flights.count == 0)
                // Anything stored per key would take more than four megabytes.
                precondition(residentBytes() - before < 2_000_000)
            }
        }
    #endif

    @Test func forgottenCallEndsWithLastCaller() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        let waiting = flights.value(for: 1) { Observable.never().noteLifetime(in: log, as: "").asSingle() }.subscribe()
        flights.forget(1)
        waiting.dispose()
        #expect(log.text == "+ -")
    }

    @Test func keyForgottenDuringItsCallIsSubtractedOnce() {
        let flights = SingleFlight<Int, Int>(scheduler: scheduler)
        let waiting = flights.value(for: 1) { Single<Int>.never() }.subscribe()
        flights.forget(1)
        waiting.dispose()
        #expect(flights.count == 0)
    }

    @Test func tasksShareWork() async throws {
        let flights = SingleFlight<Int, Int>()
        let gate = Gate()
        let log = log
        let tasks = (0..<3).map { _ in
            Task {
                try await flights.value(for: 1) {
                    log("work")
                    await gate.wait()
                    return 7
                }
            }
        }
        #expect(try await eventually { log.text == "work" })
        gate.open()
        for task in tasks { #expect(try await task.value == 7) }
    }

    @Test func workIsCancelledWhenAllTasksAre() async throws {
        let flights = SingleFlight<Int, Int>()
        let log = log
        let task = Task {
            try await flights.value(for: 1) {
                log("begun")
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    log("cancelled")
                }
                return 7
            }
        }
        #expect(try await eventually { log.text == "begun" })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await eventually { log.text == "begun cancelled" })
        #expect(flights.count == 0)
    }

    private struct Gate {
        private let subject = AsyncSubject<Void>()
        func open() { subject.onCompleted() }
        func wait() async { _ = try? await subject.asMaybe().value }
    }

    @Test func aNegativeCapacityStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SingleFlight<Int, Int>(capacity: -1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("A count can't be negative (SingleFlight, capacity: -1)"))
    }

    @Test func valueWithoutExpirySetsNoTimer() {
        let flights = SingleFlight<Int, Int>(ttl: .never, scheduler: scheduler)
        _ = flights.value(for: 1) { .just(7) }.subscribe()
        scheduler.start()
        #expect(flights.count == 1 && scheduler.clock == 0)
    }
}
