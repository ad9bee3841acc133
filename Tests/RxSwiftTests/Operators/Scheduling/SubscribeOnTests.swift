import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct SubscribeOnTests {
    private let log = Log()
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func subscribesOnTheScheduler() {
        let subscription = Observable.of(1).noteLifetime(in: log, as: "source").subscribe(on: scheduler).note(in: log)
        log("-")
        scheduler.start()
        #expect(log.text == "- source+ 1 completed source-")
        subscription.dispose()
    }

    @Test func disposesOnTheScheduler() {
        let source = PublishSubject<Int>()
        let subscription = source.subscribe(on: scheduler).subscribe()
        scheduler.start()
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(source.hasObservers)
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test(arguments: [Buffering.unbounded, .oldest(2), .newest(2), .failing(2), .pausing(2)])
    func closureAboveBoundaryIsNotCalledWhileDisposalWaits(buffering: Buffering) {
        let (source, lower) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
        let subscription = source.do(onNext: { [log] in log($0) }).observe(on: lower, buffering: buffering)
            .subscribe(on: scheduler).subscribe()
        scheduler.start()
        source.onNext(1)
        subscription.dispose()
        source.onNext(2)
        #expect(log.text == "1")
        #expect(source.hasObservers)
        scheduler.start()
        lower.start()
        #expect(!source.hasObservers)
    }

    @Test func closureAboveTwoSubscribeOnIsNotCalledWhileDisposalWaits() {
        let (source, upper) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
        let subscription = source.do(onNext: { [log] in log($0) }).subscribe(on: upper).subscribe(on: scheduler)
            .subscribe()
        scheduler.start()
        upper.start()
        source.onNext(1)
        subscription.dispose()
        source.onNext(2)
        #expect(log.text == "1")
        scheduler.start()
        upper.start()
        #expect(!source.hasObservers)
    }

    @Test func nestedSubscribeOnDisposedBeforeStartNeverSubscribes() {
        let upper = TestScheduler(initialClock: 0)
        let subscription = Observable.of(1).noteLifetime(in: log, as: "source").subscribe(on: upper)
            .subscribe(on: scheduler).subscribe()
        scheduler.start()
        subscription.dispose()
        upper.start()
        #expect(log.text == "")
        scheduler.start()
    }

    @Test func resumedSourceSendsOnTheScheduler() {
        let (lower, sent) = (TestScheduler(initialClock: 0), Guarded(0))
        let subscription = Observable.range(start: 0, count: 9).do(onNext: { _ in sent.withLock { $0 += 1 } })
            .subscribe(on: scheduler).observe(on: lower, buffering: .pausing(2)).subscribe()
        scheduler.start()
        #expect(sent.withLock { $0 } == 2)
        lower.start()
        #expect(sent.withLock { $0 } == 2)
        scheduler.start()
        #expect(sent.withLock { $0 } == 4)
        subscription.dispose()
        scheduler.start()
        lower.start()
    }

    @Test func disposalOnShutDownSchedulerFreesEverything() throws {
        let (source, tracker, thread) = (PublishSubject<Int>(), LifetimeTracker(), PthreadScheduler())
        let done = DispatchSemaphore(value: 0)
        let subscription =
            source
            .do(onNext: { [held = tracker.make(), source] _ in _ = (held, source) }, onSubscribed: { done.signal() })
            .subscribe(on: thread).subscribe()
        try wait(for: done)
        thread.shutdown()
        subscription.dispose()
        #expect(!source.hasObservers && tracker.live == 0)
    }

    @Test func disposedBeforehandItDoesNotSubscribe() {
        Observable.of(1).noteLifetime(in: log, as: "source").subscribe(on: scheduler).note(in: log).dispose()
        scheduler.start()
        #expect(log.text == "")
    }

    @Test func isSilentOnceItIsDisposed() {
        let source = PublishSubject<Int>()
        let subscription = source.subscribe(on: scheduler).note(in: log)
        scheduler.start()
        subscription.dispose()
        source.onNext(1)
        #expect(log.text == "")
        // Runs the scheduled disposal, which retains the scheduler.
        scheduler.start()
    }

    @Test func elementsArriveOnSendingThread() {
        let (source, done) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let key = DispatchSpecificKey<Bool>()
        let subscription = source.do(onSubscribed: { done.signal() }).subscribe(on: queue).subscribe(onNext: {
            [log] _ in
            log(DispatchQueue.getSpecific(key: key) ?? false)
        })
        #expect(done.wait(timeout: .now() + 30) == .success)
        let own = DispatchQueue(label: "own")
        own.setSpecific(key: key, value: true)
        own.sync { source.onNext(1) }
        #expect(log.text == "true")
        subscription.dispose()
    }

    @Test func disposalsThatRaceWithTheSubscriptionLeaveNothing() throws {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let source = PublishSubject<Int>()
        for _ in 0..<2_000 { source.subscribe(on: queue).subscribe().dispose() }
        drain(queue)
        drain(queue)
        #expect(!source.hasObservers)
    }

    private typealias Joint = @Sendable (Observable<Int>) -> Observable<Int>

    private static let joints: [(name: String, on: Joint)] = [
        ("nothing", { $0 }),
        ("merge", { Observable.merge($0, .never()) }),
        ("zip", { Observable.zip($0, Observable.repeatElement(1)) { element, _ in element } }),
        ("combineLatest", { Observable.combineLatest($0, Observable.just(1)) { element, _ in element } }),
        ("withLatestFrom", { $0.withLatestFrom(Observable.just(1)) }),
        ("flatMap", { $0.flatMap { Observable.just($0) } }),
        ("concatMap", { $0.concatMap { Observable.just($0) } }),
        ("flatMapLatest", { $0.flatMapLatest { Observable.just($0) } }),
        ("take(until:)", { $0.take(until: Observable<Int>.never()) }),
        ("amb", { $0.amb(Observable<Int>.never()) }),
        ("concat", { $0.concat(Observable<Int>.never()) }),
        ("retry", { $0.retry() }),
        ("retry(when:)", { $0.retry(when: { (errors: Observable<any Error>) in errors }) }),
        ("catch", { $0.catch { _ in Observable<Int>.never() } }),
        ("ifEmpty", { $0.ifEmpty(switchTo: Observable<Int>.never()) }),
        ("flatMapFirst", { $0.flatMapFirst { Observable.just($0) } }),
        ("merge(maxConcurrent:)", { $0.map { Observable.just($0) }.merge(maxConcurrent: 2) }),
        ("timeout", { $0.timeout(.seconds(1_000), scheduler: SerialDispatchQueueScheduler(qos: .default)) }),
        ("skip(until:)", { $0.skip(until: Observable.just(1)) }),
        ("deferred", { source in .deferred { source } }),
        ("zip of a collection", { Observable.zip([$0, .repeatElement(1)]) { $0[0] } }),
        ("several", { Observable.merge($0.flatMap { Observable.just($0) }.concat(Observable<Int>.never()), .never()) }),
    ]

    @Test(arguments: joints.indices) func aLoopStopsWithTheOperatorThatEnds(_ index: Int) {
        let (queue, sent) = (SerialDispatchQueueScheduler(internalSerialQueueName: "serial"), Guarded(0))
        let source = Observable<Int>.range(start: 0, count: 100_000).do(onNext: { _ in sent.withLock { $0 += 1 } })
        let subscription = Self.joints[index].on(source).take(3).subscribe(on: queue).note(in: log)
        drain(queue)
        drain(queue)
        subscription.dispose()
        #expect(log.entries.last == "completed")
        // `zip` may take a fourth element.
        #expect(sent.withLock { $0 } <= 4, "\(Self.joints[index].name)")
    }

    @Test(arguments: joints.indices) func anEndlessLoopStopsWhenTheChainBelowEnds(_ index: Int) {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let subscription = Self.joints[index].on(.repeatElement(1)).subscribe(on: queue).take(3).note(in: log)
        drain(queue)
        subscription.dispose()
        #expect(log.text == "1 1 1 completed", "\(Self.joints[index].name)")
    }

    @Test(arguments: joints.indices) func anEndlessLoopStopsWhenItIsDisposedOnAnotherThread(_ index: Int) {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let other = SerialDispatchQueueScheduler(internalSerialQueueName: "other")
        let running = DispatchSemaphore(value: 0)
        let source = Self.joints[index].on(.repeatElement(1)).do(onNext: { _ in running.signal() }).filter { _ in false
        }
        let subscription = source.subscribe(on: queue).subscribe(on: other).subscribe()
        #expect(running.wait(timeout: .now() + 30) == .success)
        subscription.dispose()
        drain(other)
        drain(queue)
    }

    @Test func aSourceThatEndsIsDisposedAtOnce() {
        let source = PublishSubject<Int>()
        let subscription = source.noteLifetime(in: log, as: "a").take(1).subscribe(on: scheduler).noteLifetime(
            in: log, as: "b"
        ).note(
            in: log)
        scheduler.start()
        source.onNext(1)
        #expect(log.text == "b+ a+ 1 completed b- a-")
        subscription.dispose()
        scheduler.start()
    }

    @Test func aTestableSourceIsDisposedOnTheScheduler() {
        let source = scheduler.cold("{10}1{9}|")
        scheduler.start { source.subscribe(on: scheduler) }.expect("{11}1{9}|")
        source.expectSubscriptions("-^{20}!")
    }
}
