import Dispatch
@_spi(RxServer) import RxSwift
import RxTest
import TestSupport
import Testing

struct FlowEntryTests {
    private func source(_ tracker: LifetimeTracker, ends: Bool = false) -> Observable<Int> {
        .create(flow: { out in
            let life = tracker.make()
            out.onResume { withExtendedLifetime((life, out)) {} }
            out.onNext(1)
            if ends { out.onCompleted() }
            return Disposables.create()
        })
    }

    @Test func callbackIsFreedWhenChainIsDisposed() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = source(tracker).observe(on: scheduler, buffering: .pausing(1)).subscribe()
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
        scheduler.start()
    }

    @Test func callbackIsFreedAtCompletion() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = source(tracker, ends: true).observe(on: scheduler, buffering: .pausing(1)).subscribe()
        scheduler.start()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    /// The disposing thread may hold a task's lock, so it must not free the callback's captures.
    @Test func callbackBelowSubscribeOnIsFreedByItsScheduler() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let subscription = source(tracker).subscribe(on: scheduler).bounded(1).subscribe()
        scheduler.start()
        subscription.dispose()
        #expect(tracker.live == 1)
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test func callbackBelowSubscribeOnIsNotCalledBeforeSchedulerDisposes() {
        let (scheduler, below, log) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0), Log())
        let source = Observable<Int>.create(flow: { out in
            out.onResume { log("resumed") }
            out.onNext(1)
            out.onNext(2)
            if !out.isOpen { log("full") }
            return Disposables.create { log("disposed") }
        })
        let subscription = source.subscribe(on: scheduler).observe(on: below, buffering: .pausing(2)).subscribe()
        scheduler.start()
        below.start()
        subscription.dispose()
        scheduler.start()
        #expect(log.text == "full disposed")
    }

    @Test func callbackSetAfterDisposalIsFreed() {
        let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
        let observer = Guarded<FlowObserver<Int>?>(nil)
        let source = Observable<Int>.create(flow: { out in
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        source.observe(on: scheduler, buffering: .pausing(1)).subscribe().dispose()
        func say(_ life: LifetimeTracker.Tracked) {
            observer.withLock { $0 }?.onResume { withExtendedLifetime(life) {} }
        }
        say(tracker.make())
        withExtendedLifetime(observer) { #expect(tracker.live == 0) }
        scheduler.start()
    }

    private func course(_ feed: @escaping @Sendable (FlowObserver<Int>, Log) -> Void) -> String {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let source = Observable<Int>.create(flow: { out in
            feed(out, log)
            return Disposables.create()
        })
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        scheduler.start()
        subscription.dispose()
        return log.text
    }

    @Test func elementsSentBeforeAskingForRoomWait() {
        let course = course { out, log in
            for element in 1...5 { out.onNext(element) }
            log(out.isOpen)
        }
        #expect(course == "false 1 2 3 4 5")
    }

    @Test func onResumeIsCalledForEachRefusedCheck() {
        let course = course { out, log in
            out.onResume { log("room") }
            for element in 1...2 { out.onNext(element) }
            for _ in 1...2 { log(out.isOpen) }
        }
        #expect(course == "false false 1 2 room room")
    }

    @Test func onResumeIsCalledOnceForEachRefusedCheck() {
        let course = course { out, log in
            out.onResume {
                log("room")
                guard log.entries.count == 4 else { return }
                for element in 3...4 { out.onNext(element) }
                log(out.isOpen)
            }
            for element in 1...2 { out.onNext(element) }
            log(out.isOpen)
        }
        #expect(course == "false 1 2 room false 3 4 room")
    }

    @Test(.notForever) func closedAnswerRacingWithRoomIsFollowedByResume() throws {
        let (observer, mayGoOn) = (Guarded<FlowObserver<Int>?>(nil), DispatchSemaphore(value: 0))
        let (asked, answered) = (Guarded(0), Guarded(0))
        let source = Observable<Int>.create(flow: { out in
            out.onResume { answered.withLock { $0 += 1 } }
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        let subscription = source.observe(on: PthreadScheduler(name: "below"), buffering: .pausing(1))
            .subscribe(onNext: { _ in mayGoOn.wait() })
        let out = try #require(observer.withLock { $0 })
        for round in 0..<50 {
            out.onNext(round)
            try runConcurrently(threads: 4) { index in
                if index == 0 { mayGoOn.signal() }
                while !out.isOpen { asked.withLock { $0 += 1 } }
            }
            let said = asked.withLock { $0 }
            try #require(comesTrue { answered.withLock { $0 } == said }, "round \(round)")
        }
        subscription.dispose()
    }

    @Test func lastCallbackSetIsCalled() {
        let course = course { out, log in
            out.onResume { log("first") }
            for element in 1...2 { out.onNext(element) }
            log(out.isOpen)
            out.onResume { log("second") }
        }
        #expect(course == "false 1 2 second")
    }

    @Test func closedAnswerIsFollowedByResumeCallbackSetLater() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let observer = Guarded<FlowObserver<Int>?>(nil)
        let source = Observable<Int>.create(flow: { out in
            for element in 1...2 { out.onNext(element) }
            for _ in 1...2 { log(out.isOpen) }
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        let out = observer.withLock { $0 }
        scheduler.start()
        out?.onResume { log("room") }
        scheduler.start()
        #expect(log.text == "false false 1 2 room room")
        subscription.dispose()
    }

    @Test func isOpenIsFalseOnceChainIsDisposed() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let observer = Guarded<FlowObserver<Int>?>(nil)
        let source = Observable<Int>.create(flow: { out in
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        let subscription = source.observe(on: scheduler, buffering: .pausing(1)).subscribe()
        let out = observer.withLock { $0 }
        log(out?.isOpen == true)
        subscription.dispose()
        log(out?.isOpen == true)
        #expect(log.text == "true false")
        scheduler.start()
    }

    @Test func roomReturnsOnceChainIsResumed() {
        let scheduler = TestScheduler(initialClock: 0)
        let clock = TestClock(scheduler)
        let observer = scheduler.createObserver(Int.self)
        nonisolated(unsafe) var fetched = 0
        let source = Observable<Int>.create { out in
            let task = Task(executorPreference: clock) {
                for number in 1...6 {
                    try await out.room()
                    fetched = number
                    out.onNext(number)
                }
                out.onCompleted()
            }
            return Disposables.create { task.cancel() }
        }
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).subscribe { event in
            observer.on(event)
            if let element = event.element { #expect(fetched <= element + 3) }
        }
        scheduler.start()
        #expect(observer.events.compactMap(\.value.element) == [1, 2, 3, 4, 5, 6])
        #expect(observer.events.last?.value.isCompleted == true)
        subscription.dispose()
    }

    @Test func waitingForRoomEndsWithTheSubscription() {
        let scheduler = TestScheduler(initialClock: 0)
        let clock = TestClock(scheduler)
        nonisolated(unsafe) var ended: (any Error)?
        let source = Observable<Int>.create { out in
            let task = Task(executorPreference: clock) {
                do {
                    while true {
                        try await out.room()
                        out.onNext(1)
                    }
                } catch {
                    ended = error
                }
            }
            return Disposables.create { task.cancel() }
        }
        let gate = PublishSubject<Int>()
        let subscription = source.concatMap { _ in gate }.bounded(1).subscribe()
        scheduler.start()
        #expect(ended == nil)
        subscription.dispose()
        scheduler.start()
        #expect(ended is CancellationError)
    }

    private func sending(
        on clock: TestClock, _ ended: @escaping @Sendable (any Error) -> Void
    ) -> Observable<Int> {
        Observable.create { out in
            _ = Task(executorPreference: clock) {
                do {
                    while true {
                        try await out.room()
                        out.onNext(1)
                    }
                } catch {
                    ended(error)
                }
            }
            return Disposables.create()
        }
    }

    @Test func taskWaitingForRoomResumesAtDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let clock = TestClock(scheduler)
        nonisolated(unsafe) var ended: (any Error)?
        let source = sending(on: clock) { ended = $0 }
        let gate = PublishSubject<Int>()
        let subscription = source.concatMap { _ in gate }.bounded(1).subscribe()
        scheduler.start()
        #expect(ended == nil)
        subscription.dispose()
        scheduler.start()
        #expect(ended is CancellationError)
    }

    @Test func disposalResumesTaskWaitingForRoomBeforeSchedulerRuns() {
        let (scheduler, other) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        let clock = TestClock(other)
        nonisolated(unsafe) var ended: (any Error)?
        let source = sending(on: clock) { ended = $0 }
        let gate = PublishSubject<Int>()
        let subscription = source.subscribe(on: scheduler).concatMap { _ in gate }.bounded(1).subscribe()
        scheduler.start()
        other.start()
        #expect(ended == nil)
        subscription.dispose()
        other.start()
        #expect(ended is CancellationError)
        scheduler.start()
    }

    @Test func unboundedSourceHasRoom() async throws {
        let source = Observable<Int>.create(work: { out in
            for number in 1...3 {
                try await out.room()
                out.onNext(number)
            }
        })
        var all: [Int] = []
        for try await element in source.values { all.append(element) }
        #expect(all == [1, 2, 3])
    }

    @Test(arguments: [true, false]) func cancelledTaskSendsNothing(asksFirst: Bool) {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let clock = TestClock(scheduler)
        nonisolated(unsafe) var ended: (any Error)?
        let source = Observable<Int>.create { out in
            let task = Task(executorPreference: clock) {
                do {
                    if asksFirst {
                        try await out.room()
                        out.onNext(1)
                    } else {
                        try await out.send(1)
                    }
                } catch {
                    ended = error
                }
            }
            task.cancel()
            return Disposables.create()
        }
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        scheduler.start()
        #expect(log.text == "")
        #expect(ended is CancellationError)
        subscription.dispose()
    }

    @Test func wrappedFlowObserverWaitsForRoom() {
        let (scheduler, sent) = (TestScheduler(initialClock: 0), Guarded(0))
        let clock = TestClock(scheduler)
        let source = Observable<Int>.create { out in
            let sending = Task(executorPreference: clock) {
                for _ in 0..<10 {
                    try await AnyObserver(out).send(1)
                    sent.withLock { $0 += 1 }
                }
            }
            return Disposables.create { sending.cancel() }
        }
        let gate = PublishSubject<Int>()
        nonisolated(unsafe) var error: (any Error)?
        let subscription = source.concatMap { _ in gate }.bounded(1).subscribe(onError: { error = $0 })
        scheduler.start()
        #expect((1...3).contains(sent.withLock { $0 }))
        #expect(error == nil)
        subscription.dispose()
        scheduler.start()
    }

    @Test func cancellationResumesTaskWaitingForRoom() {
        let scheduler = TestScheduler(initialClock: 0)
        let clock = TestClock(scheduler)
        nonisolated(unsafe) var ended: (any Error)?
        let task = Guarded<Task<Void, Never>?>(nil)
        let source = Observable<Int>.create { out in
            let sending = Task(executorPreference: clock) {
                do {
                    while true { try await out.send(1) }
                } catch {
                    ended = error
                }
            }
            task.withLock { $0 = sending }
            return Disposables.create()
        }
        let gate = PublishSubject<Int>()
        let subscription = source.concatMap { _ in gate }.bounded(1).subscribe()
        scheduler.start()
        #expect(ended == nil)
        task.withLock { $0 }?.cancel()
        scheduler.start()
        #expect(ended is CancellationError)
        subscription.dispose()
        scheduler.start()
    }

    @Test(.notForever) func cancellationRacingWithWaitForRoomResumesTask() async throws {
        let observer = Guarded<AnyObserver<Int>?>(nil)
        let source = Observable<Int>.create { out in
            observer.withLock { $0 = out }
            return Disposables.create()
        }
        let subscription = source.observe(on: TestScheduler(initialClock: 0), buffering: .pausing(1)).subscribe()
        let out = try #require(observer.withLock { $0 })
        out.onNext(1)
        for round in 0..<10_000 {
            let hasBegun = Guarded(false)
            let waiting = Task {
                hasBegun.withLock { $0 = true }
                try? await out.room()
            }
            while !hasBegun.withLock({ $0 }) { await Task.yield() }
            // The delay varies, so that the cancellation arrives at different steps of the wait.
            for _ in 0..<round % 300 { _ = hasBegun.withLock { $0 } }
            waiting.cancel()
            await waiting.value
        }
        subscription.dispose()
    }

    @Test func sourceIgnoringNoRoomOverflowsAfter16384Elements() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        nonisolated(unsafe) var received = 0
        let source = Observable<Int>.create(flow: { out in
            _ = out.isOpen
            for element in 0..<16_400 { out.onNext(element) }
            return Disposables.create()
        })
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).subscribe(
            onNext: { _ in received += 1 }, onError: { log($0) })
        scheduler.start()
        #expect(received == 16_386)
        #expect(log.text.hasPrefix("observe(on:) is full: 2 elements are waiting"))
        subscription.dispose()
    }

    @Test func elementsSentAtOnceAfterWaitingForRoomWait() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let clock = TestClock(scheduler)
        let source = Observable<Int>.create { out in
            _ = Task(executorPreference: clock) {
                try await out.room()
                for element in 1...5 { out.onNext(element) }
            }
            return Disposables.create()
        }
        let subscription = source.observe(on: scheduler, buffering: .pausing(2)).note(in: log)
        scheduler.start()
        #expect(log.text == "1 2 3 4 5")
        subscription.dispose()
    }

    @Test func sourceWithReleasedObserverIsReleased() {
        let tracker = LifetimeTracker()
        let scheduler = TestScheduler(initialClock: 0)
        let source = Observable<Int>.create(flow: { out in
            out.onNext(1)
            return Disposables.create()
        })
        _ = source.map { [captured = tracker.make()] element in withExtendedLifetime(captured) { element } }
            .observe(on: scheduler, buffering: .pausing(2)).subscribe()
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test func elementSentAfterDisposalCallsNoClosure() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let (observer, tracker) = (Guarded<FlowObserver<Int>?>(nil), LifetimeTracker())
        let source = Observable<Int>.create(flow: { out in
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        let subscription = source.do(onNext: { [log, captured = tracker.make()] element in
            withExtendedLifetime(captured) { log(element) }
        })
        .observe(on: scheduler, buffering: .pausing(2)).subscribe()
        let out = observer.withLock { $0.take() }
        out?.onNext(1)
        subscription.dispose()
        out?.onNext(2)
        #expect(log.text == "1")
        #expect(tracker.live == 0)
        scheduler.start()
    }

    private func asking(
        on clock: TestClock, sends: Bool, _ ended: @escaping @Sendable ((any Error)?) -> Void
    ) -> Observable<Int> {
        Observable.create { out in
            _ = Task(executorPreference: clock) {
                do {
                    for number in 1...10 {
                        if sends {
                            try await out.send(number)
                        } else {
                            try await out.room()
                            out.onNext(number)
                        }
                        await Task.yield()
                    }
                    ended(nil)
                } catch {
                    ended(error)
                }
            }
            return Disposables.create()
        }
    }

    @Test(arguments: [true, false]) func unboundedSenderThrowsAfterEnd(sends: Bool) {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        nonisolated(unsafe) var ended: (any Error)?
        let subscription = asking(on: TestClock(scheduler), sends: sends) { ended = $0 }.take(2).note(in: log)
        scheduler.start()
        #expect(log.text == "1 2 completed")
        #expect(ended is CancellationError)
        subscription.dispose()
    }

    @Test(arguments: [true, false]) func unboundedSenderThrowsAfterDisposal(sends: Bool) {
        let scheduler = TestScheduler(initialClock: 0)
        nonisolated(unsafe) var ended: (any Error)?
        let subscription = SingleAssignmentDisposable()
        let source = asking(on: TestClock(scheduler), sends: sends) { ended = $0 }
        subscription.setDisposable(source.subscribe(onNext: { if $0 == 2 { subscription.dispose() } }))
        scheduler.start()
        #expect(ended is CancellationError)
    }

    @Test func unboundedSenderThrowsAfterItsOwnCompletion() {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let clock = TestClock(scheduler)
        nonisolated(unsafe) var ended: (any Error)?
        let source = Observable<Int>.create { out in
            _ = Task(executorPreference: clock) {
                out.onCompleted()
                do { try await out.send(1) } catch { ended = error }
            }
            return Disposables.create()
        }
        let subscription = source.note(in: log)
        scheduler.start()
        #expect(log.text == "completed")
        #expect(ended is CancellationError)
        subscription.dispose()
    }

    @Test(arguments: [true, false]) func sendToSubjectThrowsInCancelledTask(isCancelled: Bool) {
        let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
        let subject = PublishSubject<Int>()
        let subscription = subject.note(in: log)
        let out = AnyObserver(subject)
        nonisolated(unsafe) var ended: (any Error)?
        let sending = Task(executorPreference: TestClock(scheduler)) {
            do { try await out.send(1) } catch { ended = error }
        }
        if isCancelled { sending.cancel() }
        scheduler.start()
        #expect(log.text == (isCancelled ? "" : "1"))
        #expect((ended is CancellationError) == isCancelled)
        subscription.dispose()
    }

    private func sent(above chain: (Observable<Int>) -> any Disposable) -> Int {
        let sent = Guarded(0)
        let source = Observable<Int>.create(flow: { out in
            while out.isOpen, sent.withLock({ $0 }) < 10 {
                sent.withLock { $0 += 1 }
                out.onNext(1)
            }
            return Disposables.create()
        })
        chain(source).dispose()
        return sent.withLock { $0 }
    }

    @Test func unboundedSourceHasRoomUntilTheEnd() {
        #expect(sent { $0.subscribe() } == 10)
        #expect(sent { $0.take(3).subscribe() } == 3)
        #expect(sent { $0.map { $0 + 1 }.take(3).subscribe() } == 3)
    }

    @Test func unboundedSourceHasRoomUntilTheDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = Guarded<FlowObserver<Int>?>(nil)
        let source = Observable<Int>.create(flow: { out in
            observer.withLock { $0 = out }
            return Disposables.create()
        })
        let subscription = source.subscribe()
        let out = observer.withLock { $0 }
        #expect(out?.isOpen == true)
        subscription.dispose()
        #expect(out?.isOpen == false)
        scheduler.start()
    }

    @Test func unboundedLoopOnSubscriptionSchedulerStopsAtDisposal() {
        let (scheduler, received) = (TestScheduler(initialClock: 0), Guarded(0))
        let sent = sent { source in
            let subscription = SingleAssignmentDisposable()
            subscription.setDisposable(
                source.subscribe(on: scheduler).subscribe(onNext: { _ in
                    received.withLock { $0 += 1 }
                    if received.withLock({ $0 }) == 3 { subscription.dispose() }
                }))
            scheduler.start()
            return subscription
        }
        #expect(sent == 3)
    }

    @Test func unboundedWorkThrowsAtDisposalThatWaitsForScheduler() {
        let (scheduler, other) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        let clock = TestClock(other)
        nonisolated(unsafe) var ended: (any Error)?
        let subscription = SingleAssignmentDisposable()
        let source = Observable<Int>.create(work: { out in
            do {
                for number in 1...10 {
                    try await out.send(number)
                    await Task.yield()
                }
            } catch {
                ended = error
            }
        })
        WorkExecutor.preferred.withValue(clock) {
            subscription.setDisposable(
                source.subscribe(on: scheduler).subscribe(onNext: { if $0 == 3 { subscription.dispose() } }))
            scheduler.start()
        }
        other.start()
        #expect(ended is CancellationError)
        scheduler.start()
    }
}
