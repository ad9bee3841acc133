import Foundation
import InMemoryLogging
import Logging
import RxLifecycle
import RxTest
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

struct RxServiceTests {
    private let scheduler = TestScheduler.milliseconds()
    private let journal = Journal()
    /// Receives a line when the service subscribes to a pipeline.
    private let begun = Journal()
    private let orders = PublishSubject<String>()
    /// A charge ends when this subject sends the order's name.
    private let charges = PublishSubject<String>()
    private let log = InMemoryLogHandler()

    private func charge(_ order: String, _ drain: Drain) -> Observable<String> {
        charges.filter { $0 == order }.take(1).noted(in: journal, as: "charge of \(order)")
            .counted(by: drain, as: "charge")
    }

    private func service(within span: RxTimeInterval = .milliseconds(100)) -> RxService {
        RxService(
            "orders", drain: span, scheduler: scheduler, logger: Logger(label: "test") { [log] _ in log },
            onStopped: { [journal] in journal.note("left: \($0)") },
            pipeline: { [self] drain in
                pipeline(orders.until(drain, as: "orders").flatMap { charge($0, drain) })
            })
    }

    private func pipeline(_ work: Observable<String>) -> Observable<String> {
        work.noted(in: journal, as: "pipeline").do(onSubscribed: { [begun] in begun.note("pipeline subscribed") })
    }

    private func begin(_ service: RxService) async -> Task<Void, any Error> {
        let run = Task { [journal] in
            defer { journal.note("run ended") }
            try await service.run()
        }
        await begun.has("pipeline subscribed")
        return run
    }

    @Test func shutdownStopsIntakeAndFinishesWorkInProgress() async throws {
        try await testGracefulShutdown { trigger in
            let run = await begin(service())
            orders.onNext("a")
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(10)
            #expect(!orders.hasObservers)
            #expect(!journal.lines.contains("run ended"))
            charges.onNext("a")
            try await run.value
            #expect(
                journal.lines == [
                    "pipeline subscribed", "charge of a subscribed", "charge of a: a", "pipeline: a",
                    "charge of a completed", "charge of a disposed", "pipeline completed", "pipeline disposed",
                    "left: nothing", "run ended",
                ], "\(journal.lines)")
        }
        #expect(log.entries.map { "\($0.level) \($0.message) \($0.metadata)" }.count == 2)
        #expect(log.entries.map(\.level) == [.info, .info])
        #expect(log.entries.allSatisfy { $0.metadata["rx.service"] == "orders" })
    }

    @Test func workLeftAtDeadlineIsDisposedAndReported() async throws {
        try await testGracefulShutdown { trigger in
            let run = await begin(service(within: .milliseconds(100)))
            orders.onNext("a")
            orders.onNext("b")
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(50)
            charges.onNext("a")
            scheduler.advanceTo(99)
            #expect(charges.hasObservers)
            scheduler.advanceTo(102)
            try await run.value
            #expect(!charges.hasObservers)
            #expect(
                Array(journal.lines.suffix(4)) == [
                    "charge of b disposed", "pipeline disposed", "left: 1 of charge, 1 of pipeline", "run ended",
                ], "\(journal.lines)")
        }
        #expect(log.entries.last?.level == .warning)
        #expect(log.entries.last?.metadata["rx.left"] == "1 of charge, 1 of pipeline")
    }

    @Test func workCountedOutsidePipelineIsAwaited() async throws {
        try await testGracefulShutdown { trigger in
            let work = PublishSubject<Void>()
            let service = RxService(
                "jobs", drain: .milliseconds(100), scheduler: scheduler,
                onStopped: { [journal] in journal.note("left: \($0)") }
            ) { [self] drain in
                _ = work.counted(by: drain, as: "job").subscribe()
                return pipeline(orders.until(drain))
            }
            let run = await begin(service)
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(50)
            #expect(journal.lines.last == "pipeline disposed")
            work.onCompleted()
            try await run.value
            #expect(scheduler.clock == 50)
            #expect(journal.lines.contains("left: nothing"), "\(journal.lines)")
        }
    }

    @Test func workLeftIsReportedBeforeRunEnds() async throws {
        try await testGracefulShutdown { trigger in
            let service = RxService(
                "orders", drain: .milliseconds(100), scheduler: scheduler,
                onStopped: { [journal] _ in
                    // A run that did not wait would end during this sleep.
                    usleep(200_000)
                    journal.note("told")
                }
            ) { [self] drain in
                pipeline(orders.until(drain))
            }
            let run = await begin(service)
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(10)
            try await run.value
        }
        #expect(journal.lines.suffix(2) == ["told", "run ended"], "\(journal.lines)")
    }

    @Test func pipelineErrorIsThrown() async throws {
        let run = await begin(service())
        orders.onError(Declined())
        await #expect(throws: Declined.self) { try await run.value }
        #expect(journal.lines.suffix(3) == ["pipeline failed: Declined()", "pipeline disposed", "run ended"])
    }

    @Test func pipelineFailingAtOnceIsDisposedBeforeRunEnds() async throws {
        let service = RxService("orders", drain: .seconds(1)) { [journal] _ in
            Observable<Int>.error(Declined())
                .do(onDispose: {
                    usleep(50_000)
                    journal.note("disposed")
                })
        }
        await #expect(throws: Declined.self) { try await service.run() }
        #expect(journal.lines == ["disposed"])
    }

    /// Fails during the call of `subscribe`, and then blocks its thread until `gone` is signalled.
    private func failing(until gone: DispatchSemaphore) -> RxService {
        RxService("orders", drain: .seconds(1)) { [journal] _ in
            Observable<Int>.create { observer in
                observer.onError(Declined())
                journal.note("failed")
                gone.wait()
                return Disposables.create()
            }
        }
    }

    @Test func pipelineFailingAtOnceOnBlockedThreadEndsWhenCancelled() async throws {
        let gone = DispatchSemaphore(value: 0)
        let service = failing(until: gone)
        let run = Task { try await service.run() }
        await journal.has("failed")
        run.cancel()
        await #expect(throws: Declined.self) { try await run.value }
        gone.signal()
    }

    @Test func pipelineFailingAtOnceOnBlockedThreadEndsAtShutdown() async throws {
        let gone = DispatchSemaphore(value: 0)
        await testGracefulShutdown { trigger in
            let service = failing(until: gone)
            let run = Task { try await service.run() }
            await journal.has("failed")
            trigger.triggerGracefulShutdown()
            await #expect(throws: Declined.self) { try await run.value }
        }
        gone.signal()
    }

    @Test func drainEndingOnSubscribingThreadEndsRunAtOnce() async throws {
        let (stopped, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await testGracefulShutdown { trigger in
            let service = RxService("orders", drain: .milliseconds(100), scheduler: scheduler) { [journal] drain in
                let work = PublishSubject<Int>()
                _ = work.counted(by: drain).subscribe()
                journal.note("runs")
                stopped.wait()
                work.onCompleted()
                gone.wait()
                return Observable<Int>.never()
            }
            let run = Task { [journal] in
                try await service.run()
                journal.note("run ended")
            }
            await journal.has("runs")
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(10)
            stopped.signal()
            #expect(try await journal.gets("run ended"))
            gone.signal()
            try await run.value
        }
    }

    @Test func errorFromOtherThreadEndsRunWithBlockedSource() async throws {
        let gone = DispatchSemaphore(value: 0)
        let service = RxService("orders", drain: .seconds(1)) { [orders, begun] _ in
            Observable<String>.create { (observer: AnyObserver<String>) -> any Disposable in
                let subscription = orders.subscribe(observer)
                begun.note("pipeline subscribed")
                gone.wait()
                return subscription
            }
        }
        let run = await begin(service)
        orders.onError(Declined())
        let hasEnded = try await journal.gets("run ended")
        gone.signal()
        #expect(hasEnded)
        await #expect(throws: Declined.self) { try await run.value }
    }

    /// The source completes after `subscribe` has returned, while the subscribing thread exits. A later thread may get
    /// the same identifier, so the service must forget that identifier.
    @Test func endOnSubscribingThreadIsReportedAfterSubscribe() async throws {
        var key = pthread_key_t()
        pthread_key_create(&key) { held in
            Unmanaged<Farewell>.fromOpaque(held!).release()
        }
        let service = RxService("orders", drain: .seconds(1)) { [self, key] _ in
            let farewell = Farewell { [orders] in orders.onCompleted() }
            // The thread releases `farewell` when it ends.
            pthread_setspecific(key, Unmanaged.passRetained(farewell).toOpaque())
            return pipeline(orders.asObservable())
        }
        let run = await begin(service)
        let hasEnded = try await journal.gets("run ended")
        // Ends a run that hangs.
        run.cancel()
        #expect(hasEnded)
        try await run.value
        pthread_key_delete(key)
    }

    private func cancelWhileMaking(_ pipeline: Observable<Int>) async throws {
        let gone = DispatchSemaphore(value: 0)
        let run = Task { [journal] in
            let farewell = Farewell { journal.note("freed") }
            let service = RxService("orders", drain: .seconds(1)) { _ in
                withExtendedLifetime(farewell) {}
                journal.note("making")
                gone.wait()
                return pipeline
            }
            try await service.run()
        }
        await journal.has("making")
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        gone.signal()
        let isFreed = try await journal.gets("freed")
        #expect(isFreed)
    }

    @Test func cancellationWhilePipelineIsMadeStartsNothing() async throws {
        try await cancelWhileMaking(
            .range(start: 0, count: 1_000).do(onNext: { [journal] _ in journal.note("element") }))
        #expect(!journal.lines.contains("element"))
    }

    @Test func cancellationWhilePipelineIsMadePreventsSubscription() async throws {
        try await cancelWhileMaking(
            .create { [journal] _ in
                journal.note("subscribed")
                return Disposables.create()
            })
        #expect(!journal.lines.contains("subscribed"))
    }

    @Test func errorDuringDrainIsThrownAndWorkLeftIsReported() async throws {
        await testGracefulShutdown { trigger in
            let run = await begin(service())
            orders.onNext("a")
            orders.onNext("b")
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(10)
            charges.onError(Declined())
            await #expect(throws: Declined.self) { try await run.value }
        }
        // Omits `pipeline disposed`, which follows "run ended" if `subscribe` has not returned yet.
        let ends = journal.lines.filter { $0.hasPrefix("left") || $0 == "run ended" }
        #expect(ends == ["left: 2 of charge, 1 of pipeline", "run ended"], "\(journal.lines)")
        #expect(log.entries.last?.level == .warning)
    }

    @Test func errorBeforeShutdownReportsNoWorkLeft() async throws {
        let run = await begin(service())
        orders.onNext("a")
        charges.onError(Declined())
        await #expect(throws: Declined.self) { try await run.value }
        #expect(!journal.lines.contains { $0.hasPrefix("left") })
    }

    @Test func errorDuringSubscribeOfDrainIsReportedAfterSubscribe() async throws {
        await testGracefulShutdown { trigger in
            let service = RxService(
                "orders", drain: .never, scheduler: AtOnce(),
                onStopped: { [journal] in journal.note("left: \($0)") }
            ) { [journal] _ in
                Observable<Int>.create { observer in
                    trigger.triggerGracefulShutdown()
                    observer.onError(Declined())
                    journal.note("subscribed")
                    return Disposables.create { journal.note("disposed") }
                }
            }
            await #expect(throws: Declined.self) { try await service.run() }
        }
        #expect(journal.lines == ["left: 1 of pipeline", "subscribed", "disposed"])
    }

    /// Starts the service on `tasks`. Returns the run when `onStopped` has been called.
    private func beginReported(
        _ service: RxService, on tasks: HeldTasks, cancelled: Bool = false
    ) async -> Task<Void, any Error> {
        let run = Task(executorPreference: tasks) { [journal] in
            if cancelled { withUnsafeCurrentTask { $0?.cancel() } }
            defer { journal.note("run ended") }
            try await service.run()
        }
        tasks.run()
        await journal.has("reporting")
        return run
    }

    /// Returns whether the run ends within about 20 seconds.
    private func runEnds(on tasks: HeldTasks) async throws -> Bool {
        for _ in 0..<10_000 where !journal.lines.contains("run ended") {
            tasks.run()
            try await Task.sleep(for: .milliseconds(2))
        }
        return journal.lines.contains("run ended")
    }

    @Test func cancellationWhileThreadReportsEndsRunAfterReport() async throws {
        let (tasks, gone) = (HeldTasks(), DispatchSemaphore(value: 0))
        try await testGracefulShutdown { trigger in
            let service = RxService(
                "orders", drain: .never, scheduler: AtOnce(),
                onStopped: { [journal] _ in
                    journal.note("reporting")
                    gone.wait()
                    journal.note("reported")
                }
            ) { _ in
                Observable<Int>.create { observer in
                    trigger.triggerGracefulShutdown()
                    observer.onError(Declined())
                    return Disposables.create()
                }
            }
            let run = await beginReported(service, on: tasks)
            run.cancel()
            tasks.run()
            gone.signal()
            let hasEnded = try await runEnds(on: tasks)
            try #require(hasEnded)
            await #expect(throws: Declined.self) { try await run.value }
        }
        #expect(journal.lines == ["reporting", "reported", "run ended"])
    }

    @Test func cancellationDuringReportEndsRunOnBlockedThread() async throws {
        let (tasks, gone, left) = (HeldTasks(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await testGracefulShutdown { trigger in
            let service = RxService(
                "orders", drain: .never, scheduler: AtOnce(),
                onStopped: { [journal] _ in
                    journal.note("reporting")
                    gone.wait()
                }
            ) { _ in
                Observable<Int>.create { observer in
                    trigger.triggerGracefulShutdown()
                    observer.onError(Declined())
                    left.wait()
                    return Disposables.create()
                }
            }
            let run = await beginReported(service, on: tasks)
            run.cancel()
            gone.signal()
            let hasEnded = try await runEnds(on: tasks)
            left.signal()
            try #require(hasEnded)
            await #expect(throws: Declined.self) { try await run.value }
        }
    }

    @Test func cancelledRunEndsAfterReportOnOtherThread() async throws {
        let (tasks, gone, isReporting) = (HeldTasks(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let service = RxService(
            "orders", drain: .seconds(1), scheduler: OnThread { isReporting.wait() },
            onStopped: { [journal] _ in
                journal.note("reporting")
                isReporting.signal()
                gone.wait()
                journal.note("reported")
            },
            pipeline: { _ in Observable<Int>.never() })
        let run = await beginReported(service, on: tasks, cancelled: true)
        gone.signal()
        let hasEnded = try await runEnds(on: tasks)
        try #require(hasEnded)
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(journal.lines == ["reporting", "reported", "run ended"])
    }

    @Test func errorOfPipelineFactoryIsThrown() async throws {
        let service = RxService("orders", drain: .seconds(1), scheduler: scheduler) { _ -> Completable in
            throw Declined()
        }
        await #expect(throws: Declined.self) { try await service.run() }
    }

    @Test func completedPipelineEndsRun() async throws {
        let run = await begin(service())
        orders.onCompleted()
        try await run.value
        #expect(!journal.lines.contains { $0.hasPrefix("left") })
    }

    @Test func cancellationDisposesAtOnce() async throws {
        let run = await begin(service())
        orders.onNext("a")
        run.cancel()
        scheduler.advanceTo(1)
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(!orders.hasObservers)
        #expect(!charges.hasObservers)
        #expect(journal.lines.contains("left: 1 of charge, 1 of orders, 1 of pipeline"), "\(journal.lines)")
    }

    @Test func cancellationDisposesOnSchedulerNotInItsHandler() async throws {
        let run = await begin(service())
        run.cancel()
        #expect(orders.hasObservers)
        #expect(!journal.lines.contains { $0.hasPrefix("left") })
        scheduler.advanceTo(1)
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(!orders.hasObservers)
    }

    @Test func cancelledRunSubscribesToNothing() async throws {
        try await testGracefulShutdown { trigger in
            let service = RxService("orders", drain: .seconds(1), scheduler: AtOnce()) { [self] drain in
                pipeline(orders.until(drain))
            }
            let run = Task { [journal] in
                withUnsafeCurrentTask { $0?.cancel() }
                defer { journal.note("run ended") }
                try await service.run()
            }
            let hasEnded = try await journal.gets("run ended")
            #expect(hasEnded)
            trigger.triggerGracefulShutdown()
            await #expect(throws: CancellationError.self) { try await run.value }
            #expect(journal.lines == ["run ended"])
        }
    }

    @Test func cancellationEndsDrain() async throws {
        await testGracefulShutdown { trigger in
            let run = await begin(service(within: .never))
            orders.onNext("a")
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(10)
            run.cancel()
            scheduler.advanceTo(12)
            await #expect(throws: CancellationError.self) { try await run.value }
            #expect(!charges.hasObservers)
        }
        #expect(journal.lines.filter { $0.hasPrefix("left") } == ["left: 1 of charge, 1 of pipeline"])
    }

    /// ServiceLifecycle calls shutdown handlers while it holds a lock that `isShuttingDownGracefully` needs.
    @Test func pipelineMayQueryShutdownWhileStopping() async throws {
        try await testGracefulShutdown { trigger in
            let service = RxService("orders", drain: .seconds(1)) { [self] drain in
                pipeline(
                    orders.until(drain)
                        .do(onCompleted: { [journal] in
                            let task = Task { Task.isShuttingDownGracefully }
                            withExtendedLifetime(task) {}
                            journal.note("asked: \(Task.isShuttingDownGracefully)")
                            trigger.triggerGracefulShutdown()
                        }))
            }
            let run = await begin(service)
            trigger.triggerGracefulShutdown()
            try await run.value
            #expect(journal.lines.contains { $0.hasPrefix("asked") })
        }
    }

    @Test func serviceAlreadyShuttingDownDoesNotSubscribeToSource() async throws {
        for _ in 0..<100 {
            try await testGracefulShutdown { trigger in
                trigger.triggerGracefulShutdown()
                let service = RxService("orders", drain: .seconds(1)) { [journal] drain in
                    Observable<Int>.never().noted(in: journal, as: "source").until(drain)
                }
                try await service.run()
            }
        }
        #expect(!journal.lines.contains("source subscribed"))
    }

    @Test func serviceMayRunAgain() async throws {
        let service = RxService("orders", drain: .seconds(1)) { [journal] _ in
            Observable.just(1).noted(in: journal, as: "pipeline")
        }
        try await service.run()
        try await service.run()
        #expect(journal.lines.filter { $0 == "pipeline: 1" }.count == 2)
    }

    @Test func loopOnBlockedThreadIsDrained() async throws {
        try await testGracefulShutdown { trigger in
            let service = RxService("loop", drain: .seconds(20)) { [journal] drain in
                Observable.repeatElement(1).until(drain)
                    .do(onNext: { [journal] _ in if journal.lines.isEmpty { journal.note("runs") } })
            }
            let run = Task { try await service.run() }
            await journal.has("runs")
            trigger.triggerGracefulShutdown()
            try await run.value
        }
    }

    @Test func loopOnBlockedThreadIsCutOffAtDeadline() async throws {
        let service = RxService("loop", drain: .seconds(20)) { [journal] _ in
            Observable.repeatElement(1)
                .do(
                    onNext: { [journal] _ in if journal.lines.isEmpty { journal.note("runs") } },
                    onDispose: { [journal] in journal.note("disposed") })
        }
        let run = Task { try await service.run() }
        await journal.has("runs")
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        await journal.has("disposed")
    }

    @Test func groupDrainsItsServices() async throws {
        let group = ServiceGroup(services: [service()], logger: Logger(label: "test") { [log] _ in log })
        let run = Task { try await group.run() }
        await journal.has("pipeline subscribed")
        orders.onNext("a")
        await group.triggerGracefulShutdown()
        // The group forwards the shutdown in a separate task.
        while orders.hasObservers {
            scheduler.advanceTo(scheduler.clock + 1)
            await Task.yield()
        }
        charges.onNext("a")
        try await run.value
        #expect(journal.lines.contains { $0.hasPrefix("left: ") })
    }
}

private final class Farewell: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
