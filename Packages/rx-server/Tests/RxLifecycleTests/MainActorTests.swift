import Logging
import RxLifecycle
import ServiceLifecycle
import Testing

/// A service group that runs on the main actor, as when top-level code in main.swift starts it.
@MainActor
struct MainActorTests {
    // If the pipeline's closures were isolated to the main actor, their inner closures would stop the process.
    @Test func groupOnMainActorRunsClosuresOfPipelineOffMainThread() async throws {
        let journal = Journal()
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "orders")
        let orders = Observable.of([1], [2]).observe(on: queue)
            .map { order in order.map { $0 * 2 } }
            .do(onNext: { order in order.forEach { journal.note("charged \($0)") } })
        let service = RxService(
            "orders", drain: .seconds(60), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            pipeline: { _ in orders })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try await group.run()
        #expect(journal.lines == ["charged 2", "charged 4"])
    }
}
