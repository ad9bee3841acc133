import Dispatch
import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

@Suite(.serialized) struct PoolTests {
    /// If the server has reached its connection limit, waiting calls must not each try to connect.
    @Test func refusedConnectionPausesAttemptsOfLaterCalls() async throws {
        let server = try SimulatedServer()
        defer { server.stop() }
        let refused = Shared(0)
        Thread.detachNewThread {
            server.accept()
            server.readScript()
            server.answerScript()
            while server.refuse() { refused.change { $0 += 1 } }
        }
        let pool = Pool(try PostgreSQLAddress(server.url), Pool.Limits()) { _ in }
        let isHeld = Shared(false)
        let holder = Task {
            try await pool.with { _ in
                isHeld.change { $0 = true }
                try await Task.sleep(for: .seconds(600))
            }
        }
        try await eventually { isHeld.value }
        let begun = ContinuousClock.now
        var calls: [Task<Void, any Error>] = []
        for count in 1...7 {
            calls.append(Task { try await pool.with { _ in } })
            try await eventually(60) { refused.value >= count }
        }
        // The pauses are at least 25, 50, 100, 200, 400 and 800 ms.
        #expect(begun.duration(to: .now) > .milliseconds(1_500))
        for call in calls { call.cancel() }
        holder.cancel()
        pool.close()
    }

    @Test func connectionLostWhileItIsPreparedIsNotLent() async throws {
        let server = try SimulatedServer()
        defer { server.stop() }
        let isPreparing = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.accept()
            server.readScript()
            server.answerScript()
            isPreparing.wait()
            server.hangUp()
            guard server.accept() else { return }
            server.readScript()
            server.answerScript()
        }
        let prepared = Shared(0)
        let pool = Pool(try PostgreSQLAddress(server.url), Pool.Limits()) { link in
            prepared.change { $0 += 1 }
            guard prepared.value == 1 else { return }
            isPreparing.signal()
            try await eventually { !link.isIdle }
            // This query fails only after the link has notified the pool of the lost connection.
            _ = try? await link.run("SELECT 1", within: .seconds(60))
        }
        let isUsable = try await pool.with { link in link.isIdle }
        #expect(isUsable)
        #expect(prepared.value == 2)
        pool.close()
    }
}
