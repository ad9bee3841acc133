import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOPosix
import RxNIO
import Testing

// An embedded loop traps if it is freed with tasks left in its queue.
@Suite struct EventLoopSchedulerTests {
    private let loop = EmbeddedEventLoop()
    private var scheduler: EventLoopScheduler { EventLoopScheduler(loop) }

    @Test func actionsRunLaterInOrder() {
        let log = Log<Int>()
        nonisolated(unsafe) let scheduler = scheduler
        for number in 0..<3 {
            _ = scheduler.schedule(number) { number in
                log.add(number)
                _ = scheduler.schedule(number + 10) { inner in
                    log.add(inner)
                    return Disposables.create()
                }
                return Disposables.create()
            }
        }
        #expect(log.all.isEmpty)
        loop.run()
        #expect(log.all == [0, 1, 2, 10, 11, 12])
    }

    @Test func actionDisposedBeforeItsTurnIsReleasedAndNeverRuns() {
        let log = Log<String>()
        var action: (any Disposable)?
        do {
            let witness = Witness { log.add("freed") }
            action = scheduler.schedule(witness) { _ in
                log.add("ran")
                return Disposables.create()
            }
        }
        action?.dispose()
        #expect(log.all == ["freed"])
        loop.run()
        #expect(log.all == ["freed"])
    }

    /// A dispose bag drops disposables whose `isDisposed` is true. So a pending action must not report true.
    @Test func scheduledActionIsNotDisposedByItself() {
        let actions: [any Disposable] = [
            scheduler.schedule(()) { Disposables.create() },
            scheduler.scheduleRelative((), dueTime: .seconds(1)) { Disposables.create() },
            scheduler.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) {},
        ]
        for action in actions {
            #expect((action as? any Cancelable)?.isDisposed == false)
            action.dispose()
            #expect((action as? any Cancelable)?.isDisposed == true)
        }
        loop.run()
    }

    @Test func disposableReturnedByActionIsDisposedWithIt() {
        let log = Log<String>()
        let early = scheduler.schedule(()) { Disposables.create { log.add("result") } }
        loop.run()
        #expect(log.all.isEmpty)
        early.dispose()
        #expect(log.all == ["result"])

        let slot = SingleAssignmentDisposable()
        slot.setDisposable(
            scheduler.schedule(()) {
                slot.dispose()
                return Disposables.create { log.add("late result") }
            })
        loop.run()
        #expect(log.all == ["result", "late result"])
    }

    @Test(arguments: [.milliseconds(30), .microseconds(30_000), .nanoseconds(30_000_000)] as [RxTimeInterval])
    func timerUsesTimeOfLoop(span: RxTimeInterval) {
        let log = Log<TimeInterval>()
        nonisolated(unsafe) let scheduler = scheduler
        let begin = scheduler.now
        _ = scheduler.scheduleRelative((), dueTime: span) {
            log.add(scheduler.now.timeIntervalSince(begin))
            return Disposables.create()
        }
        loop.advanceTime(by: .milliseconds(29))
        #expect(log.all.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        #expect(log.all.count == 1 && abs(log.all[0] - 0.03) < 1e-6)
    }

    @Test func negativeDelayIsDueAtOnceAndNeverIsNeverDue() {
        let log = Log<Int>()
        _ = scheduler.scheduleRelative(1, dueTime: .seconds(-1)) { number in
            log.add(number)
            return Disposables.create()
        }
        let never = scheduler.scheduleRelative(2, dueTime: .never) { number in
            log.add(number)
            return Disposables.create()
        }
        loop.advanceTime(by: .hours(24 * 365))
        #expect(log.all == [1])
        never.dispose()
    }

    @Test(arguments: [.seconds(-62_135_596_800), .milliseconds(.min)] as [RxTimeInterval])
    func mostNegativeDelayIsDueAtOnce(span: RxTimeInterval) {
        let log = Log<Int>()
        let timer = scheduler.scheduleRelative(1, dueTime: span) { number in
            log.add(number)
            return Disposables.create()
        }
        loop.run()
        #expect(log.all == [1])
        timer.dispose()
    }

    @Test(arguments: [.seconds(.max), .milliseconds(.max), .microseconds(.max)] as [RxTimeInterval])
    func delayBeyondNanosecondsIsClamped(span: RxTimeInterval) {
        let log = Log<Int>()
        let timer = scheduler.scheduleRelative(1, dueTime: span) { number in
            log.add(number)
            return Disposables.create()
        }
        loop.advanceTime(by: .hours(24 * 365))
        #expect(log.all.isEmpty)
        timer.dispose()
    }

    @Test func periodKeepsItsPhase() {
        let log = Log<Int64>()
        let ticks = scheduler.schedulePeriodic(0, startAfter: .milliseconds(10), period: .milliseconds(20)) {
            [loop] count in
            log.add(Int64(loop.now.uptimeNanoseconds) / 1_000_000)
            return count + 1
        }
        loop.advanceTime(to: .uptimeNanoseconds(100_000_000))
        #expect(log.all == [10, 30, 50, 70, 90])
        ticks.dispose()
        loop.advanceTime(by: .seconds(1))
        #expect(log.all == [10, 30, 50, 70, 90])
    }

    /// The second run, due at 30 ms, is 25 ms late, so the tick at 50 ms is missed. The third is due at 70 ms.
    @Test func periodKeepsItsPhaseAfterLateTick() {
        let late = LateLoop(loop)
        let ticks = EventLoopScheduler(late).schedulePeriodic(
            0, startAfter: .milliseconds(10), period: .milliseconds(20)
        ) { $0 + 1 }
        loop.advanceTime(by: .milliseconds(10))
        late.lateness.withLockedValue { $0 = .milliseconds(25) }
        loop.advanceTime(by: .milliseconds(20))
        #expect(late.deadlines.all == [10, 30, 70])
        ticks.dispose()
    }

    @Test func tickDueBeforeItsTimerIsStoredLeavesNextTimerToDisposal() {
        let late = LateLoop(loop)
        late.afterSetting.withLockedValue { hook in
            hook = { [loop] milliseconds in
                if milliseconds == 10 { loop.advanceTime(to: .uptimeNanoseconds(10_000_000)) }
            }
        }
        let ticks = EventLoopScheduler(late).schedulePeriodic(
            0, startAfter: .milliseconds(10), period: .milliseconds(20)
        ) { $0 + 1 }
        #expect(late.deadlines.all == [10, 30])
        ticks.dispose()
        #expect(late.cancelled.all == [30])
        loop.advanceTime(by: .seconds(1))
    }

    @Test func periodDisposedWhileTimerIsSetLeavesNoTimer() {
        let (late, slot) = (LateLoop(loop), SingleAssignmentDisposable())
        late.afterSetting.withLockedValue { hook in
            hook = { milliseconds in
                if milliseconds == 30 { slot.dispose() }
            }
        }
        slot.setDisposable(
            EventLoopScheduler(late).schedulePeriodic(
                0, startAfter: .milliseconds(10), period: .milliseconds(20)
            ) { $0 + 1 })
        loop.advanceTime(by: .milliseconds(10))
        #expect(late.deadlines.all == [10, 30] && late.cancelled.all == [30])
        loop.advanceTime(by: .seconds(1))
    }

    @Test func periodOfZeroIsOneNanosecond() {
        let log = Log<Int>()
        let ticks = scheduler.schedulePeriodic(0, startAfter: .nanoseconds(0), period: .nanoseconds(0)) { count in
            log.add(count)
            return count + 1
        }
        loop.advanceTime(by: .nanoseconds(3))
        #expect(log.all == [0, 1, 2, 3])
        ticks.dispose()
        loop.advanceTime(by: .nanoseconds(3))
        #expect(log.all == [0, 1, 2, 3])
    }

    @Test func missedTicksBecomeOne() async throws {
        try await withLoops { group in
            let loop = group.next()
            let (log, tenth) = (Log<Int64>(), Awaited(10))
            let start = NIODeadline.now()
            let ticks = EventLoopScheduler(loop).schedulePeriodic(
                0, startAfter: .milliseconds(10), period: .milliseconds(10)
            ) { count in
                log.add((NIODeadline.now() - start).nanoseconds / 1_000_000)
                if count == 0 { usleep(100_000) }
                tenth.come()
                return count + 1
            }
            await tenth.wait()
            ticks.dispose()
            // All missed ticks together cause one run, directly after the first.
            #expect(log.all[1] >= 110 && log.all[9] >= 180)
        }
    }

    @Test func periodEndingItselfReleasesState() {
        let log = Log<String>()
        let slot = SingleAssignmentDisposable()
        do {
            let witness = Witness { log.add("freed") }
            slot.setDisposable(
                scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
                    withExtendedLifetime(witness) {}
                    log.add("\(count)")
                    if count == 2 { slot.dispose() }
                    return count + 1
                })
        }
        loop.advanceTime(by: .seconds(10))
        #expect(log.all == ["0", "1", "2", "freed"])
    }

    @Test func periodEndingItselfReleasesStateThoughHandleIsRetained() {
        let (log, slot) = (Log<String>(), SingleAssignmentDisposable())
        let ticks: any Disposable
        do {
            let witness = Witness { log.add("freed") }
            ticks = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
                withExtendedLifetime(witness) {}
                slot.dispose()
                return count + 1
            }
        }
        slot.setDisposable(ticks)
        loop.advanceTime(by: .seconds(1))
        #expect(log.all == ["freed"])
        withExtendedLifetime(ticks) {}
    }

    @Test func operatorsUseTimeOfLoop() {
        let (log, scheduler) = (Log<String>(), scheduler)
        let source = PublishSubject<Int>()
        let bag = DisposeBag()
        source.throttle(.seconds(1), scheduler: scheduler).subscribe(onNext: { log.add("throttle \($0)") })
            .disposed(by: bag)
        source.debounce(.seconds(1), scheduler: scheduler).subscribe(onNext: { log.add("debounce \($0)") })
            .disposed(by: bag)
        source.delay(.seconds(3), scheduler: scheduler).subscribe(onNext: { log.add("delay \($0)") })
            .disposed(by: bag)
        source.timeout(.seconds(5), scheduler: scheduler)
            .subscribe(onError: { _ in log.add("timeout") }).disposed(by: bag)
        Observable<Int>.interval(.seconds(4), scheduler: scheduler).subscribe(onNext: { log.add("interval \($0)") })
            .disposed(by: bag)
        source.onNext(1)
        loop.advanceTime(by: .milliseconds(500))
        source.onNext(2)
        loop.advanceTime(by: .milliseconds(500))
        #expect(log.all == ["throttle 1", "throttle 2"])
        loop.advanceTime(by: .milliseconds(500))
        #expect(log.all.suffix(1) == ["debounce 2"])
        loop.advanceTime(by: .seconds(2))
        #expect(log.all.suffix(2) == ["delay 1", "delay 2"])
        loop.advanceTime(by: .seconds(2))
        #expect(log.all.suffix(2) == ["interval 0", "timeout"])
    }

    enum Way: CaseIterable {
        case observeOn, observeOnPausing, subscribeOn, delay, timer, interval, debounce

        func go(_ scheduler: EventLoopScheduler) -> Observable<Int> {
            switch self {
            case .observeOn: Observable.range(start: 0, count: 100).observe(on: scheduler)
            case .observeOnPausing:
                Observable.range(start: 0, count: 100).observe(on: scheduler, buffering: .pausing(8))
            case .subscribeOn: Observable.range(start: 0, count: 100).subscribe(on: scheduler)
            case .delay: Observable.range(start: 0, count: 100).delay(.milliseconds(1), scheduler: scheduler)
            case .timer: Observable.timer(.milliseconds(1), scheduler: scheduler)
            case .interval: Observable.interval(.milliseconds(1), scheduler: scheduler).take(5)
            case .debounce:
                // Subscribes on the loop. A push in progress on another thread could deliver the result there.
                Observable.just(0).concat(Observable<Int>.never()).subscribe(on: scheduler)
                    .debounce(.milliseconds(1), scheduler: scheduler).take(1)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func eventsAreDeliveredOnLoopInOrder(way: Way) async throws {
        try await withLoops { group in
            let loop = group.next()
            let (log, strays, done) = (Log<Int>(), Log<String>(), Awaited())
            let subscription = way.go(EventLoopScheduler(loop)).subscribe(
                onNext: {
                    log.add($0)
                    if !loop.inEventLoop { strays.add("next") }
                },
                onCompleted: {
                    if !loop.inEventLoop { strays.add("completed") }
                    done.come()
                })
            await done.wait()
            subscription.dispose()
            #expect(strays.all.isEmpty)
            #expect(!log.all.isEmpty && log.all == Array(0..<log.all.count))
        }
    }

    @Test(arguments: [false, true]) func disposedTimerIsRemovedFromLoopAtOnce(withOthers: Bool) async throws {
        try await withLoops { group in
            let scheduler = EventLoopScheduler(group.next())
            weak var timer: AnyObject?
            weak var period: AnyObject?
            do {
                let action = scheduler.scheduleRelative((), dueTime: .seconds(3_600)) { Disposables.create() }
                let ticks = scheduler.schedulePeriodic((), startAfter: .seconds(3_600), period: .seconds(1)) {}
                (timer, period) = (action as AnyObject, ticks as AnyObject)
                if withOthers {
                    CompositeDisposable(action, ticks).dispose()
                } else {
                    action.dispose()
                    ticks.dispose()
                }
            }
            // A timer that is still in the loop would retain its action.
            #expect(timer == nil && period == nil)
        }
    }

    @Test func loopShutDownReleasesActions() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let scheduler = EventLoopScheduler(group.next())
        let log = Log<String>()
        func action(_ name: String) -> @Sendable (Witness) -> any Disposable {
            { _ in
                log.add("\(name) ran")
                return Disposables.create()
            }
        }
        let timer = scheduler.scheduleRelative(
            Witness { log.add("timer") }, dueTime: .seconds(3_600), action: action("timer"))
        let ticks = scheduler.schedulePeriodic(
            Witness { log.add("ticks") }, startAfter: .seconds(3_600), period: .seconds(1)
        ) { $0 }
        try await group.shutdownGracefully()
        #expect(Set(log.all) == ["timer", "ticks"])

        let late = scheduler.schedule(Witness { log.add("late") }, action: action("late"))
        let lateTimer = scheduler.scheduleRelative(
            Witness { log.add("late timer") }, dueTime: .seconds(0), action: action("late timer"))
        let lateTicks = scheduler.schedulePeriodic(
            Witness { log.add("late ticks") }, startAfter: .seconds(0), period: .seconds(1)
        ) { $0 }
        #expect(log.all.suffix(3) == ["late", "late timer", "late ticks"])
        for action in [timer, ticks, late, lateTimer, lateTicks] {
            #expect((action as? any Cancelable)?.isDisposed == true)
            action.dispose()
        }
    }

    @Test func embeddedLoopShutDownReleasesActions() throws {
        let log = Log<String>()
        _ = scheduler.scheduleRelative(Witness { log.add("timer") }, dueTime: .seconds(1)) { _ in Disposables.create() }
        _ = scheduler.schedulePeriodic(Witness { log.add("ticks") }, startAfter: .seconds(1), period: .seconds(1)) {
            $0
        }
        try loop.syncShutdownGracefully()
        #expect(Set(log.all) == ["timer", "ticks"])
        _ = scheduler.schedule(Witness { log.add("late") }) { _ in Disposables.create() }
        _ = scheduler.scheduleRelative(Witness { log.add("late") }, dueTime: .seconds(0)) { _ in Disposables.create() }
        #expect(log.all.suffix(2) == ["late", "late"])
    }

    @Test func disposalOnOtherThreadDuringRunIsSafe() async throws {
        try await withLoops { group in
            let scheduler = EventLoopScheduler(group.next())
            let freed = NIOLockedValueBox(0)
            for round in 0..<600 {
                let witness = Witness { freed.withLockedValue { $0 += 1 } }
                let action: any Disposable =
                    switch round % 3 {
                    case 0: scheduler.schedule(witness) { _ in Disposables.create() }
                    case 1:
                        scheduler.scheduleRelative(witness, dueTime: .microseconds(round)) {
                            Disposables.create(with: $0.touch)
                        }
                    default:
                        scheduler.schedulePeriodic(witness, startAfter: .seconds(0), period: .microseconds(50)) { $0 }
                    }
                if round % 2 == 0 { await Task.yield() }
                action.dispose()
            }
            #expect(await eventually { freed.withLockedValue { $0 } == 600 })
        }
    }
}

extension Witness {
    func touch() {}
}

private final class LateLoop: EventLoop {
    let lateness = NIOLockedValueBox(TimeAmount.zero)
    let deadlines = Log<Int64>()
    let cancelled = Log<Int64>()
    /// Receives a timer's deadline in milliseconds, before `scheduleTask` returns.
    let afterSetting = NIOLockedValueBox<@Sendable (Int64) -> Void>({ _ in })
    private let base: EmbeddedEventLoop

    init(_ base: EmbeddedEventLoop) {
        self.base = base
    }

    var now: NIODeadline { base.now + lateness.withLockedValue(\.self) }

    var inEventLoop: Bool { base.inEventLoop }

    func execute(_ task: @escaping @Sendable () -> Void) {
        base.execute(task)
    }

    func scheduleTask<Result>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> Result
    ) -> Scheduled<Result> {
        let milliseconds = Int64(deadline.uptimeNanoseconds) / 1_000_000
        deadlines.add(milliseconds)
        let timer = base.scheduleTask(deadline: deadline, task)
        timer.futureResult.whenFailure { [cancelled] _ in cancelled.add(milliseconds) }
        let hook = afterSetting.withLockedValue { $0 }
        hook(milliseconds)
        return timer
    }

    func scheduleTask<Result>(in span: TimeAmount, _ task: @escaping @Sendable () throws -> Result) -> Scheduled<Result>
    {
        scheduleTask(deadline: now + span, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        base.shutdownGracefully(queue: queue, callback)
    }
}
