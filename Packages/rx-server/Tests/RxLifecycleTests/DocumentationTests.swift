import InMemoryLogging
import Logging
import RxLifecycle
import RxTest
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

struct DocumentationTests {
    @Test func shutdownMatchesDocumentation() async throws {
        let (scheduler, journal, log) = (TestScheduler.milliseconds(), Journal(), InMemoryLogHandler())
        let (orders, logger) = (PublishSubject<Int>(), Logger(label: "test") { _ in log })
        @Sendable func charge(_ order: Int) -> Observable<Int> {
            order == 1 ? Observable<Int>.timer(.milliseconds(50), scheduler: scheduler).map { _ in 1 } : .never()
        }
        @Sendable func confirm(_ order: Int) { journal.note("confirmed \(order) at \(scheduler.clock)") }

        let service = RxService("orders", drain: .milliseconds(100), scheduler: scheduler, logger: logger) { drain in
            orders.until(drain)
                .flatMap { order in charge(order).counted(by: drain, as: "charge") }
                .do(onNext: confirm)
                .noted(in: journal, as: "pipeline")
        }
        try await testGracefulShutdown { trigger in
            let run = Task { try await service.run() }
            await journal.has("pipeline subscribed")
            orders.onNext(1)
            orders.onNext(2)
            trigger.triggerGracefulShutdown()
            scheduler.advanceTo(60)
            #expect(!orders.hasObservers)
            #expect(journal.lines.contains("confirmed 1 at 50"))
            scheduler.advanceTo(99)
            #expect(!journal.lines.contains("pipeline disposed"))
            scheduler.advanceTo(102)
            try await run.value
        }
        #expect(
            log.entries.map { "\($0.level): \($0.message)" } == ["info: draining", "warning: stopped with work left"])
        #expect(log.entries.first?.metadata["rx.running"] == "2 of charge, 1 of pipeline, 1 of sources")
        #expect(log.entries.last?.metadata["rx.left"] == "1 of charge, 1 of pipeline")
    }

    @Test func workLeftAtDeadlineIsAvailableForExitStatus() async throws {
        let (orders, logger) = (PublishSubject<Int>(), Logger(label: "test") { _ in InMemoryLogHandler() })
        let journal = Journal()
        @Sendable func charge(_: Int) -> Observable<Int> { .never() }

        let left = Mutex(Drain.Leftover?.none)
        let service = RxService(
            "orders", drain: .seconds(1), logger: logger, onStopped: { what in left.withLock { $0 = what } }
        ) { drain in
            orders.until(drain).flatMap(charge).noted(in: journal, as: "pipeline")
        }
        let group = ServiceGroup(services: [service], gracefulShutdownSignals: [], logger: logger)
        let run = Task { try await group.run() }
        await journal.has("pipeline subscribed")
        orders.onNext(1)
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(left.withLock { $0?.counts } == ["pipeline": 1])
    }

    @Test func sourceEndsAtShutdown() async throws {
        let scheduler = TestScheduler.milliseconds()
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            let beats = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
                .take(until: Observable.gracefulShutdown())
            try await beats.ignoreElements().asCompletable().value
            let signOff = Completable.empty()
            try await Completable.gracefulShutdown().andThen(signOff).value
        }
    }
}
