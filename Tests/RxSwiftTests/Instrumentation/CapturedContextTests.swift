import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct CapturedContextTests {
    enum Trace {
        @TaskLocal static var id = "none"
    }

    private static func install(_ log: Log = Log()) {
        Hooks.captureContext = {
            log("asked")
            let id = Trace.id
            return id == "none" ? nil : { body in Trace.$id.withValue(id, operation: body) }
        }
    }

    /// Subscribes in the context `id`, then advances virtual time in no context. Returns the context of each event.
    private static func contexts<Element>(
        _ scheduler: TestScheduler, in id: String = "subscriber", _ chain: Observable<Element>
    ) -> String {
        let log = Log()
        let subscription = Trace.$id.withValue(id) {
            chain.subscribe(
                onNext: { _ in log(Trace.id) }, onError: { _ in log("error:\(Trace.id)") },
                onCompleted: { log("completed:\(Trace.id)") })
        }
        scheduler.advanceTo(1_000)
        subscription.dispose()
        scheduler.start()
        return log.text
    }

    private static func isInContext<Element>(
        _ name: String, _ events: Int, _ chain: (TestScheduler) -> Observable<Element>
    ) {
        let scheduler = TestScheduler(initialClock: 0)
        let seen = contexts(scheduler, chain(scheduler)).split(separator: " ")
        precondition(seen.count == events && seen.allSatisfy { $0.hasSuffix("subscriber") }, "\(name): \(seen)")
    }

    @Test func everyHopRestoresTheContextOfTheSubscription() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            func hot(_ scheduler: TestScheduler) -> Observable<String> {
                scheduler.createHotObservable("-----a---b---c---|").asObservable()
            }
            Self.isInContext("observe(on:)", 4) { hot($0).observe(on: $0) }
            Self.isInContext("delay", 4) { hot($0).delay(.seconds(2), scheduler: $0) }
            Self.isInContext("interval", 10) { Observable<Int>.interval(.seconds(100), scheduler: $0) }
            Self.isInContext("timer", 2) { Observable<Int>.timer(.seconds(5), scheduler: $0) }
            Self.isInContext("a cold source", 4) { Observable.of(1, 2, 3, scheduler: $0) }
            Self.isInContext("debounce", 1) {
                hot($0).concat(Observable.never()).debounce(.seconds(50), scheduler: $0)
            }
            Self.isInContext("timeout", 1) { Observable<Int>.never().timeout(.seconds(5), scheduler: $0) }
            Self.isInContext("timeout's other", 2) {
                Observable.never().timeout(.seconds(5), other: Observable.just(1), scheduler: $0)
            }
            Self.isInContext("take(for:)", 1) { Observable<Int>.never().take(for: .seconds(5), scheduler: $0) }
            Self.isInContext("buffer", 10) {
                Observable<Int>.never().buffer(timeSpan: .seconds(100), count: 2, scheduler: $0)
            }
            Self.isInContext("window", 10) {
                Observable<Int>.never().window(timeSpan: .seconds(100), count: 2, scheduler: $0).skip(1)
            }
            Self.isInContext("subscribe(on:)", 4) { Observable.of(1, 2, 3).subscribe(on: $0) }
            Self.isInContext("delaySubscription", 4) {
                Observable.of(1, 2, 3).delaySubscription(.seconds(3), scheduler: $0)
            }
        }
    }

    @Test func errorIsDeliveredInCapturedContext() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let scheduler = TestScheduler(initialClock: 0)
            let source: TestableObservable<String> = scheduler.createHotObservable("--a--#")
            let seen = Self.contexts(scheduler, source.observe(on: scheduler))
            precondition(seen == "subscriber error:subscriber", seen)
        }
    }

    enum Kind: CaseIterable {
        case queue, thread, pool, actor, main

        var scheduler: any ImmediateSchedulerType {
            switch self {
            case .queue: SerialDispatchQueueScheduler(qos: .default)
            case .thread: PthreadScheduler()
            case .pool: PthreadPoolScheduler(maxThreads: 2)
            case .actor: ActorScheduler(QueueActor.make())
            case .main: MainScheduler.instance
            }
        }
    }

    @Test func contextIsRestoredAndRemovedOnEachKindOfScheduler() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            for kind in Kind.allCases {
                let (scheduler, source, done) = (kind.scheduler, PublishSubject<Int>(), DispatchSemaphore(value: 0))
                let seen = Log()
                let subscriptions = ["a", "b", "none"].map { id in
                    Trace.$id.withValue(id) {
                        source.observe(on: scheduler)
                            .subscribe(onNext: { _ in seen(id == Trace.id) }, onCompleted: { done.signal() })
                    }
                }
                Trace.$id.withValue("pusher") {
                    for element in 0..<100 { source.onNext(element) }
                    source.onCompleted()
                }
                for _ in 0..<3 { done.wait() }
                precondition(seen.entries.count == 300 && !seen.entries.contains("false"), "\(kind)")
                subscriptions.forEach { $0.dispose() }
            }
        }
    }

    @Test func contextIsRestoredWhileStallsAreWatched() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let watch = Hooks.watchForStalls(longerThan: .seconds(3_600)) { _ in }
            Self.isInContext("observe(on:)", 4) { Observable.of(1, 2, 3).observe(on: $0) }
            watch.dispose()
        }
    }

    @Test func hookIsCalledOnceForEachHopAndNotForEvents() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Self.install(log)
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let chain = source.map { $0 + 1 }.observe(on: scheduler).filter { $0 > 0 }
                .delay(.seconds(1), scheduler: scheduler)
            precondition(log.take() == "")
            let subscription = chain.subscribe()
            precondition(log.take() == "asked asked")
            for element in 0..<10 { source.onNext(element) }
            scheduler.start()
            subscription.dispose()
            _ = source.map { $0 + 1 }.subscribe()
            precondition(log.take() == "")
        }
    }

    @Test func innerSubscriptionAtHopHasItsContext() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let (scheduler, subscribed) = (TestScheduler(initialClock: 0), Log())
            let inner = Observable<Int>.create { observer in
                subscribed(Trace.id)
                observer.onNext(1)
                return Disposables.create()
            }
            let source = scheduler.createHotObservable([.next(3, 1), .next(6, 2)])
            let chain = source.observe(on: scheduler)
                .flatMap { _ in inner.subscribe(on: scheduler).delay(.seconds(1), scheduler: scheduler) }
            precondition(Self.contexts(scheduler, chain) == "subscriber subscriber")
            precondition(subscribed.text == "subscriber subscriber")
        }
    }

    @Test func tickDeliveredByOtherThreadHasContextOfItsSubscription() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let (scheduler, source, seen) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
            let subscription = Trace.$id.withValue("subscriber") {
                source.take(for: .seconds(10), scheduler: scheduler).subscribe(
                    onNext: { element in
                        seen("\(element):\(Trace.id)")
                        try? runOnThread { scheduler.advanceTo(20) }
                        seen("pushed")
                    }, onCompleted: { seen("completed:\(Trace.id)") })
            }
            Trace.$id.withValue("pusher") { source.onNext(1) }
            precondition(seen.text == "1:pusher pushed completed:subscriber", seen.text)
            subscription.dispose()
        }
    }

    @Test func earlierTrampolineJobsRunOutsideContext() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let (time, source, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
            @Sendable func queue(_ name: String) -> any Disposable {
                CurrentThreadScheduler.instance.schedule(()) { _ in
                    log("\(name):\(Trace.id)")
                    return Disposables.create()
                }
            }
            let subscription = Trace.$id.withValue("subscriber") {
                source.observe(on: time).subscribe(onNext: { _ in _ = queue("of the hop") })
            }
            source.onNext(1)
            _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                for name in ["first", "second"] { _ = queue(name) }
                time.start()
                return queue("last")
            }
            precondition(log.text == "first:none second:none of the hop:subscriber last:none", log.text)
            subscription.dispose()
        }
    }

    @Test func hopIsUnchangedWithoutCapturedContext() async {
        await #expect(processExitsWith: .success) {
            precondition(CapturedContext.capture() == nil)
            let scheduler = TestScheduler(initialClock: 0)
            precondition(ContextScheduler.capturing(for: scheduler) as AnyObject === scheduler)
            Self.install()
            precondition(CapturedContext.capture() == nil)
            let source = Observable.just(1)
            precondition(ContextSource.capturing(for: source) === source)
            Hooks.captureContext = nil
            precondition(Trace.$id.withValue("subscriber") { CapturedContext.capture() } == nil)
        }
    }

    @Test func replacedHookAndEndedContextAreFreed() async {
        await #expect(processExitsWith: .success) {
            let tracker = LifetimeTracker()
            Hooks.captureContext = { [held = tracker.make()] in
                let captured = tracker.make(held.value)
                return { body in withExtendedLifetime(captured, body) }
            }
            let scheduler = TestScheduler(initialClock: 0)
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).subscribe()
            let ended = Observable.of(1, scheduler: scheduler).delay(.seconds(1), scheduler: scheduler).subscribe()
            precondition(tracker.live == 4)
            scheduler.start()
            precondition(tracker.live == 2)
            subscription.dispose()
            precondition(tracker.live == 1)
            Hooks.captureContext = nil
            precondition(tracker.live == 0)
            withExtendedLifetime(ended) {}
        }
    }

    @Test func pausePassesThroughContextSource() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let (scheduler, most) = (TestScheduler(initialClock: 0), Locked(0))
            func isBounded(_ source: (Observable<Int>) -> Observable<Int>) {
                let (made, taken) = (Locked(0), Locked(0))
                let subscription = Trace.$id.withValue("subscriber") {
                    source(Observable.range(start: 1, count: 100).do(onNext: { _ in made.withLock { $0 += 1 } }))
                        .observe(on: scheduler).bounded(4)
                        .subscribe(onNext: { _ in
                            let waiting = made.withLock { $0 } - taken.withLock { $0 }
                            taken.withLock { $0 += 1 }
                            most.withLock { $0 = max($0, waiting) }
                        })
                }
                scheduler.start()
                subscription.dispose()
                precondition(taken.withLock { $0 } == 100, "\(taken.withLock { $0 })")
            }
            isBounded { $0.subscribe(on: scheduler) }
            isBounded { $0.subscribed(in: { Trace.$id.withValue("inner", operation: $0) }, deliveredIn: { $0() }) }
            precondition(most.withLock { $0 } <= 5, "\(most.withLock { $0 })")
        }
    }

    @Test func resumedSourceRunsInCapturedContext() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            func checkContext(_ source: (TestScheduler) -> Observable<Int>) {
                let (scheduler, above) = (TestScheduler(initialClock: 0), Log())
                let chain = source(scheduler).do(onNext: { _ in above(Trace.id) }).observe(on: scheduler).bounded(2)
                _ = Self.contexts(scheduler, chain)
                precondition(above.entries == Array(repeating: "subscriber", count: 10), "\(above.text)")
            }
            checkContext { _ in .range(start: 1, count: 10) }
            checkContext { .range(start: 1, count: 10, scheduler: $0) }
            checkContext { _ in .concat((1...10).map { Observable.just($0).map { $0 } }) }
            checkContext { _ in
                .create(flow: { out in
                    let sent = Guarded(0)
                    let send: @Sendable () -> Void = {
                        while sent.withLock({ $0 }) < 10, out.isOpen {
                            out.onNext(
                                sent.withLock {
                                    $0 += 1; return $0
                                })
                        }
                    }
                    Trace.$id.withValue("another") { out.onResume(send) }
                    send()
                    return Disposables.create()
                })
            }
        }
    }

    /// Checks that an event due during a pause arrives in the subscription's context. The pause ends in no context.
    private static func isKeptInContext<Element>(_ timed: (Observable<Int>, TestScheduler) -> Observable<Element>) {
        let (scheduler, source, log) = (TestScheduler(initialClock: 0), PublishSubject<Int>(), Log())
        let valve = TestValve(on: scheduler)
        let subscription = Trace.$id.withValue("subscriber") {
            valve.above(timed(source, scheduler)).subscribe(onNext: { _ in log(Trace.id) })
        }
        valve.set(isPaused: true)
        source.onNext(1)
        scheduler.advanceTo(8)
        precondition(log.text == "")
        valve.set(isPaused: false)
        scheduler.advanceTo(9)
        precondition(log.text == "subscriber", log.text)
        subscription.dispose()
    }

    @Test func elementKeptForResumeArrivesInContextOfSubscription() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            Self.isKeptInContext { $0.debounce(.seconds(5), scheduler: $1) }
            Self.isKeptInContext { $0.throttle(.seconds(5), scheduler: $1) }
            Self.isKeptInContext { $0.buffer(timeSpan: .seconds(5), count: 2, scheduler: $1) }
        }
    }

    @Test func aSourceIsSubscribedToInOneContextAndDeliversInAnother() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let above = Log()
            let source = Observable.of(1, 2).do(onNext: { _ in above(Trace.id) })
            @Sendable func scoped(_ source: Observable<Int>) -> Observable<Int> {
                source.subscribed(
                    in: { Trace.$id.withValue("inner", operation: $0) },
                    deliveredIn: { Trace.$id.withValue("outer", operation: $0) })
            }
            func isScoped(_ way: (TestScheduler) -> Observable<Int>) {
                let scheduler = TestScheduler(initialClock: 0)
                precondition(Self.contexts(scheduler, way(scheduler).map { $0 }).hasPrefix("outer outer"))
                precondition(above.take() == "inner inner")
            }
            isScoped { _ in scoped(source) }
            isScoped { scoped(source.subscribe(on: $0)) }
            isScoped { _ in Observable.of(1).flatMap { _ in scoped(source) } }
            let scheduler = TestScheduler(initialClock: 0)
            precondition(Self.contexts(scheduler, scoped(source)) == "outer outer completed:outer")
        }
    }

    private struct AtOnce: ImmediateSchedulerType {
        func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
            action(state)
        }
    }

    @Test func aColdSourceOnASchedulerThatRunsAtOnceEndsInAContext() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let source = Observable.of(1, 2, scheduler: AtOnce())
            precondition(Trace.$id.withValue("subscriber") { seen(source) } == "1 2 completed")
        }
    }

    @Test func coldSourceInContextSendsOneElementPerTurnOfScheduler() async {
        await #expect(processExitsWith: .success) {
            Self.install()
            let scheduler = TestScheduler(initialClock: 0)
            let observer = scheduler.createObserver(Int.self)
            let source = Observable.of(1, 2, 3, scheduler: scheduler)
            let subscription = Trace.$id.withValue("subscriber") { source.subscribe(observer) }
            scheduler.start()
            let times = observer.events.map(\.time)
            precondition(times.count == 4 && Set(times).count == 4, "\(observer.events)")
            subscription.dispose()
        }
    }
}
