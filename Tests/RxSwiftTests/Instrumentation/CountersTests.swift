import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct CountersTests {
    @Test func countsSubscriptionsElementsAndErrors() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let source = PublishSubject<Int>()
            let subscriptions = [
                source.map { $0 + 1 }.subscribe(onNext: { _ in }, onError: { _ in }),
                source.filter { $0 > 1 }.subscribe { _ in },
                source.subscribe(AnyObserver { _ in }),
            ]
            for element in 0..<10 { source.onNext(element) }
            var counts = Counters.snapshot()
            precondition((counts.subscriptions, counts.events, counts.errors) == (3, 28, 0))
            subscriptions[1].dispose()
            source.onError(TestError.a)
            counts = Counters.snapshot()
            precondition((counts.subscriptions, counts.events, counts.errors) == (3, 28, 2))
        }
    }

    @Test func snapshotIncludesChainlessSubscriptionsAndTraitsWithoutInner() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            _ = Observable.just(1).subscribe(onNext: { _ in })
            _ = Single.just(1).subscribe(onSuccess: { _ in })
            _ = Completable.error(TestError.a).subscribe(onError: { _ in })
            _ = Observable.of(1, 2, 3).flatMap { Observable.of($0, $0) }.concat(Observable.just(1))
                .subscribe(onNext: { _ in })
            let counts = Counters.snapshot()
            precondition((counts.subscriptions, counts.events, counts.errors) == (4, 9, 1))
        }
    }

    @Test func eventsAfterDisposalAreNotCounted() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let source = PublishSubject<Int>()
            for fails in [false, true] {
                let subscription = SerialDisposable()
                let chain = source.map { element -> String in
                    subscription.dispose()
                    if fails { throw TestError.a }
                    return "\(element)"
                }
                subscription.disposable = chain.subscribe(onNext: { _ in }, onError: { _ in })
                source.onNext(1)
            }
            let counts = Counters.snapshot()
            precondition((counts.subscriptions, counts.events, counts.errors) == (2, 0, 0), "\(counts)")
        }
    }

    @Test func countedErrorIsDeliveredUnchanged() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (log, source) = (Log(), PublishSubject<Int>())
            let subscription = source.map { $0 + 1 }.note(in: log)
            source.onError(TestError.a)
            precondition(log.text == "error(a)", log.text)
            subscription.dispose()
        }
    }

    @Test func countsOnlySubscriptionsMadeWhileCounting() async {
        await #expect(processExitsWith: .success) {
            let source = PublishSubject<Int>()
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "queue")
            let before = [source.subscribe(), source.observe(on: scheduler).subscribe()]
            Counters.isCounting = true
            let during = source.subscribe()
            source.onNext(1)
            Counters.isCounting = false
            let after = [source.subscribe(), source.observe(on: scheduler).subscribe()]
            source.onNext(2)
            let counts = Counters.snapshot()
            precondition((counts.subscriptions, counts.events) == (1, 2) && counts.schedulers.isEmpty)
            (before + after + [during]).forEach { $0.dispose() }
        }
    }

    @Test func aSubscriptionThatCountsEndsInTheSameOrder() async {
        await #expect(processExitsWith: .success) {
            func order(_ chain: (Observable<Int>) -> Observable<Int>) -> String {
                let (log, source) = (Log(), PublishSubject<Int>())
                let subscription = chain(source.do(afterCompleted: { log("after") }, onDispose: { log("disposed") }))
                    .subscribe(onNext: { log($0) }, onCompleted: { log("completed") }, onDisposed: { log("told") })
                source.onNext(1)
                source.onCompleted()
                subscription.dispose()
                return log.text
            }
            let usual = [order { $0 }, order { $0.map { $0 } }]
            precondition(usual == ["1 completed told after disposed", "1 completed told disposed after"], "\(usual)")
            Counters.isCounting = true
            precondition([order { $0 }, order { $0.map { $0 } }] == usual)
        }
    }

    @Test func operatorAboveWatchedHopEndsInSameOrder() async {
        await #expect(processExitsWith: .success) {
            func order() -> String {
                let (log, source, scheduler) = (Log(), PublishSubject<Int>(), TestScheduler(initialClock: 0))
                let subscription = source.do(afterCompleted: { log("after") }, onDispose: { log("disposed") })
                    .observe(on: scheduler).subscribe()
                source.onCompleted()
                scheduler.start()
                subscription.dispose()
                return log.text
            }
            precondition(order() == "after disposed", order())
            Counters.isCounting = true
            precondition(order() == "after disposed", order())
            Counters.isCounting = false
            Subscriptions.areListed = true
            precondition(order() == "after disposed", order())
        }
    }

    @Test func countsTimersThatWait() async {
        await #expect(processExitsWith: .success) {
            let scheduler = SerialDispatchQueueScheduler(qos: .default)
            let before = Counters.snapshot().timersPending
            let timers = (0..<10).map { _ in
                scheduler.scheduleRelative((), dueTime: .seconds(3_600)) { _ in Disposables.create() }
            }
            precondition(Counters.snapshot().timersPending == before + 10)
            timers.forEach { $0.dispose() }
            precondition(Counters.snapshot().timersPending == before)
        }
    }

    private static var schedulers: [(any ImmediateSchedulerType, String)] {
        [
            (SerialDispatchQueueScheduler(internalSerialQueueName: "a queue"), "a queue"),
            (PthreadScheduler(name: "a thread"), "a thread"),
            (PthreadPoolScheduler(name: "a pool", maxThreads: 1), "a pool"),
            (ActorScheduler(QueueActor.make()), "QueueActor"),
            (
                ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "others", attributes: .concurrent)),
                "others"
            ),
        ]
    }

    private static func shown(_ name: String) -> Counters.Scheduler? {
        Counters.snapshot().schedulers.first { $0.name == name }
    }

    @Test func snapshotShowsDepthAndLatencyOfEachScheduler() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for (scheduler, name) in Self.schedulers {
                let source = PublishSubject<Int>()
                let (begun, go, over) = (
                    DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
                )
                let seen = Log()
                let subscription = source.observe(on: scheduler).subscribe(
                    onNext: { element in
                        if element == 0 {
                            begun.signal()
                            go.wait()
                        }
                        seen(element)
                    }, onCompleted: { over.signal() })
                source.onNext(0)
                begun.wait()
                for element in 1...40 { source.onNext(element) }
                var shown = Self.shown(name)
                precondition(
                    shown?.depth == 40 && shown?.hops == 1 && shown?.highWater ?? 0 >= 40, "\(name): \(shown!)")
                go.signal()
                source.onCompleted()
                over.wait()
                shown = Self.shown(name)
                precondition(shown?.depth == 0 && shown?.longestLatency != .nanoseconds(0), "\(name): \(shown!)")
                precondition(seen.entries == (0...40).texts)
                subscription.dispose()
                precondition(comesTrue { Self.shown(name)?.hops == 0 }, name)
                precondition(Self.shown(name)?.highWater ?? 0 >= 40)
            }
        }
    }

    @Test func aHopMeasuresOneElementAtATime() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            hop.enter()
            usleep(5_000)
            hop.enter()
            hop.leave()
            let shown = Self.shown("TestScheduler")
            guard case .nanoseconds(let latency)? = shown?.latency else { preconditionFailure() }
            precondition(latency >= 5_000_000, "\(shown!)")
            withExtendedLifetime(hop) {}
        }
    }

    @Test func longestLatencyIncludesRetiredHops() async {
        await #expect(processExitsWith: .success) {
            let hops = (0..<2).map { _ in Counted(.scheduler(name: "queue")) }
            for (hop, latency) in zip(hops, [5, 3]) {
                hop.set(.latency, to: latency)
                hop.raise(.longestLatency, to: 10 * latency)
            }
            var shown = Self.shown("queue")
            precondition(shown?.latency == .nanoseconds(5) && shown?.longestLatency == .nanoseconds(50), "\(shown!)")
            hops[0].retire()
            shown = Self.shown("queue")
            precondition(shown?.latency == .nanoseconds(3) && shown?.longestLatency == .nanoseconds(50), "\(shown!)")
            hops[1].retire()
        }
    }

    @Test func waitingElementsAreSubtractedWithTheirChain() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let subscription = source.observe(on: scheduler).subscribe()
            for element in 0..<10 { source.onNext(element) }
            precondition(Self.shown("TestScheduler")?.depth == 10)
            subscription.dispose()
            scheduler.start()
            precondition(Self.shown("TestScheduler")?.depth == 0 && Self.shown("TestScheduler")?.hops == 0)
        }
    }

    @Test func elementDroppedAtHopDoesNotCountAsWaiting() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for buffering in [Buffering.oldest(2), .newest(2)] {
                let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
                let subscription = source.observe(on: scheduler, buffering: buffering).subscribe()
                for span in [0, 5_000] {
                    for element in 0..<10 { source.onNext(element) }
                    precondition(Self.shown("TestScheduler")?.depth == 2, "\(Self.shown("TestScheduler")!)")
                    // A semaphore's timeout would follow the wall clock on Linux.
                    usleep(UInt32(span))
                    scheduler.start()
                    let shown = Self.shown("TestScheduler")
                    precondition(shown?.depth == 0, "\(shown!)")
                    guard case .nanoseconds(let latency)? = shown?.latency else { preconditionFailure() }
                    precondition(latency >= 1_000 * span && latency > 0, "\(shown!)")
                }
                subscription.dispose()
                scheduler.start()
            }
        }
    }

    @Test func elementForShutDownSchedulerDoesNotCountAsWaiting() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for buffering in [Buffering.unbounded, .pausing(4), .newest(4)] {
                let (scheduler, source) = (PthreadScheduler(name: "a thread"), PublishSubject<Int>())
                // The teardown of `do` keeps the chain alive.
                let subscription = source.observe(on: scheduler, buffering: buffering).do(onDispose: {}).subscribe()
                scheduler.shutdown()
                for element in 0..<10 { source.onNext(element) }
                precondition(Self.shown("a thread")?.depth == 0, "\(buffering): \(Self.shown("a thread")!)")
                subscription.dispose()
            }
        }
    }

    @Test func elementDroppedBySchedulerShutdownDoesNotCountAsWaiting() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (PthreadScheduler(name: "a thread"), PublishSubject<Int>())
            let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let subscription = source.observe(on: scheduler).subscribe(onNext: { element in
                if element == 0 {
                    begun.signal()
                    go.wait()
                }
            })
            source.onNext(0)
            begun.wait()
            for element in 1...40 { source.onNext(element) }
            precondition(Self.shown("a thread")?.depth == 40)
            DispatchQueue.global().async {
                usleep(5_000)
                go.signal()
            }
            scheduler.shutdown(.drop)
            precondition(Self.shown("a thread")?.depth == 0, "\(Self.shown("a thread")!)")
            subscription.dispose()
        }
    }

    @Test func elementRejectedByBoundaryDoesNotCountAsWaiting() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for buffering in [Buffering.pausing(2), .failing(2)] {
                let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
                let subscription = source.observe(on: scheduler, buffering: buffering).subscribe(onError: { _ in })
                for element in 0..<10 { source.onNext(element) }
                precondition(Self.shown("TestScheduler")?.depth == 2, "\(Self.shown("TestScheduler")!)")
                subscription.dispose()
                scheduler.start()
            }
        }
    }

    @Test func eventsOfManyThreadsAreCountedExactly() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let scheduler = PthreadScheduler(name: "a thread")
            try runConcurrently(threads: 8) { _ in
                let (source, over) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
                let subscription = source.observe(on: scheduler).subscribe(onCompleted: { over.signal() })
                for element in 0..<2_000 {
                    source.onNext(element)
                    if element % 500 == 0 { _ = Counters.snapshot() }
                }
                source.onCompleted()
                over.wait()
                subscription.dispose()
            }
            precondition(Counters.snapshot().events == 16_000 && Counters.snapshot().subscriptions == 8)
            precondition(Self.shown("a thread")?.depth == 0)
        }
    }

    private static func measuresTheNext(of hop: SchedulerCounts) {
        let began = TimerService.now
        hop.enter()
        hop.leave()
        let span = TimerService.now - began
        guard case .nanoseconds(let latency)? = shown("TestScheduler")?.latency else { preconditionFailure() }
        precondition(latency <= span, "\(latency) of \(span)")
    }

    @Test func eachMeasuredElementHasItsOwnLatency() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            hop.enter()
            hop.leave()
            usleep(1_000)
            Self.measuresTheNext(of: hop)
        }
    }

    @Test func elementsThatWereDroppedDoNotDelayTheNextMeasurement() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            for _ in 0..<3 { hop.enter() }
            for _ in 0..<2 { hop.skip() }
            usleep(5_000)
            hop.leave()
            Self.measuresTheNext(of: hop)
        }
    }

    @Test func latencyBelongsToElementBeingDelivered() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            for _ in 0..<4 { hop.enter() }
            usleep(5_000)
            hop.leave()
            let first = Self.shown("TestScheduler")?.latency
            hop.enter()
            for _ in 0..<3 {
                hop.leave()
                precondition(Self.shown("TestScheduler")?.latency == first)
            }
            hop.leave()
            precondition(Self.shown("TestScheduler")?.latency != first)
            withExtendedLifetime(hop) {}
        }
    }

    @Test func theFirstElementOfAHopIsMeasured() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            hop.enter()
            usleep(1_000)
            hop.leave()
            guard case .nanoseconds(let latency)? = Self.shown("TestScheduler")?.latency else { preconditionFailure() }
            precondition(latency >= 1_000_000, "\(latency)")
        }
    }

    @Test func unmeasuredElementLeavesLatencyUnchanged() async {
        await #expect(processExitsWith: .success) {
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            for _ in 0..<2 { hop.enter() }
            hop.leave()
            let first = Self.shown("TestScheduler")?.latency
            usleep(5_000)
            hop.leave()
            precondition(first != nil && Self.shown("TestScheduler")?.latency == first)
            withExtendedLifetime(hop) {}
        }
    }
}
