import RxStreams
import RxSwift
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

struct BrokerTests {
    @Test func asAServiceItClosesWhenTheGroupShutsDown() async throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try await testGracefulShutdown { trigger in
            async let run: Void = broker.run()
            trigger.triggerGracefulShutdown()
            try await run
        }
        await #expect(throws: BrokerError.closed) { try await broker.driver.summary(of: "orders") }
    }

    @Test func asAServiceItClosesWhenItsTaskIsCancelled() async throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let run = Task { try await broker.run() }
        run.cancel()
        try await run.value
        await #expect(throws: BrokerError.closed) { try await broker.driver.summary(of: "orders") }
    }

    @Test func theStatusSaysWhatWasAndWhatBecomes() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let statuses = Statuses()
        try broker.run {
            let subscription = broker.status.subscribe(
                onNext: { statuses.add($0) }, onCompleted: { statuses.complete() })
            broker.disconnect(for: .seconds(1))
            try await broker.driver.sleep(.seconds(2))
            await broker.close()
            subscription.dispose()
        }
        #expect(
            statuses.all == [
                .connected(server: "virtual"), .connecting(attempt: 1, why: "disconnected by the test"),
                .connected(server: "virtual"), .closed,
            ])
        #expect(statuses.isCompleted)
    }

    /// Of one thread, the scheduler's.
    final class Statuses: @unchecked Sendable {
        var all: [BrokerStatus] = []
        var isCompleted = false
        func add(_ status: BrokerStatus) { all.append(status) }
        func complete() { isCompleted = true }
    }
}
