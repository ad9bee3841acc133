import CRxCore
import Dispatch
import TestSupport
import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The watch is global, so each test runs in a separate process. A stalled job waits until its report has arrived. On a
// slow machine, more stalls may be reported.
struct StallsTests {
    private static var schedulers: [(any SchedulerType, String)] {
        [
            (SerialDispatchQueueScheduler(internalSerialQueueName: "a queue"), "a queue"),
            (PthreadScheduler(name: "a thread"), "a thread"),
            (PthreadPoolScheduler(name: "a pool", maxThreads: 2), "a pool"),
            (ActorScheduler(QueueActor.make()), "QueueActor"),
        ]
    }

    /// Waits until the current check and all pending reports have ended.
    private static func lookAndReport(_ watch: any Disposable) {
        (watch as! StallWatch).queue.sync {}
        (watch as! StallWatch).reports.sync {}
    }

    private static func report(
        _ reported: Guarded<[Stall]>, _ came: DispatchSemaphore,
        where isAwaited: @escaping @Sendable (Stall) -> Bool = { _ in true }
    ) -> @Sendable (Stall) -> Void {
        { stall in
            reported.withLock { $0.append(stall) }
            if isAwaited(stall) { came.signal() }
        }
    }

    private static func finish(_ scheduler: any SchedulerType) {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        done.wait()
    }

    @Test func aJobThatStillRunsIsReportedOnceWithItsScheduler() async {
        await #expect(processExitsWith: .success) {
            for (scheduler, name) in Self.schedulers {
                let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
                let over = DispatchSemaphore(value: 0)
                let watch = Hooks.watchForStalls(longerThan: .milliseconds(20), Self.report(reported, came))
                _ = scheduler.schedule(()) { _ in
                    came.wait()
                    // Gives the watch time for further checks.
                    usleep(60_000)
                    over.signal()
                    return Disposables.create()
                }
                over.wait()
                watch.dispose()
                let stalls = reported.withLock { $0 }
                precondition(stalls.map(\.scheduler) == [name], "\(stalls)")
                precondition(stalls[0].duration.nanosecondsFromZero >= 20_000_000)
                precondition(stalls[0].subscriptionCallStack.isEmpty)
            }
        }
    }

    @Test func aDeliveryOnAConcurrentQueueIsWatchedAndTheQueueCalledByItsClass() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let over = DispatchSemaphore(value: 0)
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(20), Self.report(reported, came))
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
                .subscribe(onNext: { _ in
                    came.wait()
                    over.signal()
                })
            source.onNext(1)
            over.wait()
            watch.dispose()
            let stalls = reported.withLock { $0 }
            precondition(stalls.first?.scheduler == "rxswift.queue.utility", "\(stalls)")
            subscription.dispose()
        }
    }

    @Test func idleRunReportsNoStall() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(200), Self.report(reported, came))
            let run = StallWatch.run { "a queue" }
            run?.run {}
            usleep(600_000)
            run?.end()
            watch.dispose()
            precondition(run != nil && reported.withLock { $0.isEmpty })
        }
    }

    @Test func timerJobsAndDeliveriesAreWatched() async {
        await #expect(processExitsWith: .success) {
            for (scheduler, name) in Self.schedulers {
                let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
                let watch = Hooks.watchForStalls(longerThan: .milliseconds(20), Self.report(reported, came))
                let over = DispatchSemaphore(value: 0)
                let timer = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                    came.wait()
                    over.signal()
                    return Disposables.create()
                }
                over.wait()
                let source = PublishSubject<Int>()
                let subscription = source.observe(on: scheduler).subscribe(onNext: { element in
                    if element == 50 { came.wait() }
                    if element == 99 { over.signal() }
                })
                for element in 0..<100 { source.onNext(element) }
                over.wait()
                watch.dispose()
                subscription.dispose()
                timer.dispose()
                let stalls = reported.withLock { $0 }
                precondition(stalls.count >= 2 && stalls.allSatisfy { $0.scheduler == name }, "\(stalls)")
            }
        }
    }

    @Test func reportIncludesCallStackOfSubscription() async {
        await #expect(processExitsWith: .success) {
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            for (scheduler, name) in Self.schedulers {
                let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
                // On a slow machine, a job may stall before or after its delivery. Such a stall has no call stack.
                let watch = Hooks.watchForStalls(
                    longerThan: .milliseconds(20),
                    Self.report(reported, came) { !$0.subscriptionCallStack.isEmpty })
                let (source, over) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
                let subscription = source.observe(on: scheduler).subscribe(onNext: { _ in
                    came.wait()
                    over.signal()
                })
                source.onNext(1)
                over.wait()
                let timed = Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).subscribe(onNext: { _ in
                    came.wait()
                    over.signal()
                })
                over.wait()
                let late = Observable.just(1).delay(.milliseconds(1), scheduler: scheduler).subscribe(onNext: { _ in
                    came.wait()
                    over.signal()
                })
                over.wait()
                watch.dispose()
                [subscription, timed, late].forEach { $0.dispose() }
                let told = reported.withLock { $0.map(\.subscriptionCallStack) }.filter { !$0.isEmpty }
                precondition(told.count >= 3 && told.allSatisfy { $0 == ["here"] }, "\(name): \(told)")
            }
        }
    }

    @Test func eachDeliveryHasItsOwnTimeLimit() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .seconds(1), Self.report(reported, came))
            let (scheduler, source) = (PthreadScheduler(), PublishSubject<Int>())
            let (go, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let subscription = source.observe(on: scheduler).subscribe(onNext: { element in
                if element == 0 { go.wait() }
                usleep(100_000)
                if element == 11 { over.signal() }
            })
            for element in 0..<12 { source.onNext(element) }
            go.signal()
            over.wait()
            watch.dispose()
            subscription.dispose()
            precondition(reported.withLock { $0.isEmpty })
        }
    }

    @Test func eachStalledJobOfOneDrainIsReported() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(20), Self.report(reported, came))
            let run = StallWatch.run { "a thread" }!
            for _ in 0..<3 { run.run { precondition(came.wait(timeout: .now() + 20) == .success) } }
            run.end()
            watch.dispose()
        }
    }

    @Test func stalledJobEndingBeforeCheckIsReported() async {
        await #expect(processExitsWith: .success) {
            let (reported, came, look) = (
                Guarded<[Stall]>([]), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1), Self.report(reported, came))
            (watch as! StallWatch).queue.async { look.wait() }
            let run = StallWatch.run { "a thread" }!
            run.run { usleep(5_000) }
            run.end()
            look.signal()
            came.wait()
            precondition(reported.withLock { $0.map(\.scheduler) } == ["a thread"])
        }
    }

    /// One of 20 attempts must succeed. Others may fail, because a slow machine may stop the thread before the inner
    /// job.
    @Test func jobThatRunsJobsOfOtherQueueIsNoStall() async {
        await #expect(processExitsWith: .success) {
            let isSilent = (0..<20).contains { (_: Int) -> Bool in
                let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
                let watch = Hooks.watchForStalls(
                    longerThan: .milliseconds(20), Self.report(reported, came) { $0.scheduler == "inner" })
                let outer = StallWatch.run { "outer" }!
                outer.run {
                    let inner = StallWatch.run { "inner" }!
                    inner.run { came.wait() }
                    inner.end()
                }
                outer.end()
                Self.lookAndReport(watch)
                watch.dispose()
                return reported.withLock { $0.map(\.scheduler) } == ["inner"]
            }
            precondition(isSilent)
        }
    }

    @Test func deliveryAfterNestedQueueRunIsNoStall() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1), Self.report(reported, came))
            let outer = StallWatch.run { "outer" }!
            outer.run {
                let inner = StallWatch.run { "inner" }!
                inner.run {}
                inner.end()
                StallRun.deliver(.told(["late"])) { usleep(5_000) }
            }
            outer.end()
            Self.lookAndReport(watch)
            watch.dispose()
            let stalls = reported.withLock { $0 }
            precondition(!stalls.contains { $0.subscriptionCallStack == ["late"] }, "\(stalls)")
        }
    }

    @Test func aDeliveryWithinADeliveryIsPartOfTheOuterOne() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(20), Self.report(reported, came))
            let run = StallWatch.run { "a thread" }!
            run.run {
                StallRun.deliver(.told(["outer"])) {
                    StallRun.deliver(.told(["inner"])) {}
                    let isTold = comesTrue {
                        reported.withLock { stalls in stalls.contains { $0.subscriptionCallStack == ["outer"] } }
                    }
                    precondition(isTold, "\(reported.withLock { $0 })")
                }
            }
            run.end()
            watch.dispose()
        }
    }

    /// One of five attempts must succeed. Others may fail, because a slow machine may check late.
    @Test func slowReportDoesNotDelayNextCheck() async {
        await #expect(processExitsWith: .success) {
            let isFoundInTime = (0..<5).contains { (_: Int) -> Bool in
                let (reported, goOn) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
                let watch = Hooks.watchForStalls(longerThan: .milliseconds(20)) { stall in
                    reported.withLock { $0.append(stall) }
                    if stall.scheduler == "first" { goOn.wait() }
                }
                for name in ["first", "second"] {
                    let run = StallWatch.run { name }!
                    run.run { usleep(400_000) }
                    run.end()
                }
                goOn.signal()
                Self.lookAndReport(watch)
                watch.dispose()
                return reported.withLock { $0.last?.duration.nanosecondsFromZero ?? .max } < 300_000_000
            }
            precondition(isFoundInTime)
        }
    }

    @Test func stallFoundBeforeDisposalIsNotReportedAfterIt() async {
        await #expect(processExitsWith: .success) {
            let (reported, came, look) = (
                Guarded<[Stall]>([]), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1), Self.report(reported, came))
            let (queue, isReporting) = ((watch as! StallWatch).reports, DispatchSemaphore(value: 0))
            queue.async {
                isReporting.signal()
                look.wait()
            }
            isReporting.wait()
            let run = StallWatch.run { "a thread" }!
            run.run { usleep(5_000) }
            run.end()
            watch.dispose()
            look.signal()
            queue.sync {}
            precondition(reported.withLock { $0.isEmpty })
        }
    }

    @Test func nextReportCountsOmittedStallsOnce() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1), Self.report(reported, came))
            let (queue, goOn) = ((watch as! StallWatch).reports, DispatchSemaphore(value: 0))
            queue.async { goOn.wait() }
            let run = StallWatch.run { "a thread" }!
            for _ in 0..<70 { run.run { usleep(2_000) } }
            goOn.signal()
            queue.sync {}
            for _ in 0..<2 { run.run { usleep(2_000) } }
            run.end()
            Self.lookAndReport(watch)
            precondition(reported.withLock { $0.map(\.leftOut) } == Array(repeating: 0, count: 64) + [6, 0])
            watch.dispose()
        }
    }

    @Test func descriptionEndsWithCallStackOfSubscription() {
        var stall = Stall(
            scheduler: "a queue", duration: .milliseconds(250), subscriptionCallStack: ["f", "g"], leftOut: 0)
        #expect("\(stall)" == "a job has held up a queue for 250 ms\nsubscription called from:\nf\ng")
        stall = Stall(scheduler: "a queue", duration: .milliseconds(250), subscriptionCallStack: [], leftOut: 3)
        #expect("\(stall)" == "a job has held up a queue for 250 ms, 3 earlier stalls were not reported")
    }

    @Test func watchReportsNothingOnceDisposedOrReplaced() async {
        await #expect(processExitsWith: .success) {
            let (first, second, came) = (Guarded<[Stall]>([]), Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let one = Hooks.watchForStalls(longerThan: .milliseconds(5), Self.report(first, came))
            let other = Hooks.watchForStalls(longerThan: .milliseconds(5), Self.report(second, came))
            precondition((one as! any Cancelable).isDisposed)
            one.dispose()
            let scheduler = PthreadScheduler()
            _ = scheduler.schedule(()) { _ in
                came.wait()
                return Disposables.create()
            }
            Self.finish(scheduler)
            other.dispose()
            let reported = second.withLock { $0.count }
            precondition(StallWatch.run { "nobody" } == nil)
            _ = scheduler.schedule(()) { _ in
                usleep(30_000)
                return Disposables.create()
            }
            Self.finish(scheduler)
            precondition(first.withLock { $0.isEmpty } && reported > 0 && second.withLock { $0.count } == reported)
        }
    }

    @Test func watchIsFreedOnceDisposed() async {
        await #expect(processExitsWith: .success) {
            weak var watch: StallWatch?
            do {
                let begun = Hooks.watchForStalls(longerThan: .milliseconds(1)) { _ in }
                watch = begun as? StallWatch
                precondition(watch != nil)
                begun.dispose()
            }
            precondition(comesTrue { watch == nil })
        }
    }

    @Test func isWrittenToStandardErrorByDefault() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1))
            let run = StallWatch.run { "a thread" }!
            run.run { usleep(5_000) }
            run.end()
            Self.lookAndReport(watch)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("a job has held up a thread for "))
    }

    @Test func aStallLastsNoLongerThanItsJob() async {
        await #expect(processExitsWith: .success) {
            let (reported, came) = (Guarded<[Stall]>([]), DispatchSemaphore(value: 0))
            let watch = Hooks.watchForStalls(longerThan: .milliseconds(1), Self.report(reported, came))
            let began = TimerService.now
            let run = StallWatch.run { "a thread" }!
            run.run { usleep(5_000) }
            run.end()
            let span = TimerService.now - began
            came.wait()
            watch.dispose()
            precondition(reported.withLock { $0.allSatisfy { $0.duration.nanosecondsFromZero <= span } })
        }
    }

    @Test func watchedThreadDrainsLongQueue() async {
        await #expect(processExitsWith: .success) {
            let watch = Hooks.watchForStalls(longerThan: .seconds(100)) { _ in }
            let (scheduler, ran) = (PthreadScheduler(), Guarded(0))
            let (go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            _ = scheduler.schedule(()) { _ in
                go.wait()
                return Disposables.create()
            }
            for index in 1...20_000 {
                _ = scheduler.schedule(()) { _ in
                    ran.withLock { $0 += 1 }
                    if index == 20_000 { done.signal() }
                    return Disposables.create()
                }
            }
            go.signal()
            precondition(done.wait(timeout: .now() + 30) == .success, "\(ran.withLock { $0 })")
            watch.dispose()
        }
    }

    @Test func aThreadIsNotWatchedOnceItsJobHasEnded() async {
        await #expect(processExitsWith: .success) {
            let schedulers: [any SchedulerType] = [
                PthreadScheduler(name: "a thread"), PthreadPoolScheduler(name: "a pool", maxThreads: 1),
            ]
            for scheduler in schedulers {
                let watch = Hooks.watchForStalls(longerThan: .seconds(1_000)) { _ in }
                Self.finish(scheduler)
                watch.dispose()
                let (isWatched, done) = (Guarded(true), DispatchSemaphore(value: 0))
                _ = scheduler.schedule(()) { _ in
                    isWatched.withLock { $0 = crx_watch_run() != nil }
                    done.signal()
                    return Disposables.create()
                }
                done.wait()
                precondition(!isWatched.withLock { $0 })
            }
        }
    }
}
