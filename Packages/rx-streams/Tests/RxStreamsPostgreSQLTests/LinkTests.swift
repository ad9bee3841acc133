import Dispatch
import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

struct LinkTests {
    /// After a reset, libdispatch reports no further event for the socket.
    @Test func connectionResetAfterFatalErrorEndsAtOnce() async throws {
        let server = try SimulatedServer()
        let (isNotified, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            server.accept()
            server.answerNothingButNotify()
            // The queue is blocked in `onNotify`, so the error and the reset arrive as one event.
            isNotified.wait()
            server.fail()
            mayContinue.signal()
        }
        guard case .connected(let made) = try PostgreSQLAddress(server.url).connect() else {
            throw BrokerError.unavailable("the simulated server")
        }
        let isBroken = Shared(false)
        let link = Link(
            made.connection,
            onNotify: {
                isNotified.signal()
                mayContinue.wait()
            }, onBreak: { _ in isBroken.change { $0 = true } })
        let query = Task { try await link.run("SELECT 1", within: .seconds(60)) }
        try await eventually(10) { isBroken.value }
        let error = await #expect(throws: ServerError.self) { try await query.value }
        #expect(error?.state == "57P01")
    }

    @Test func cancelledStatementThatWaitsForAnotherIsNotSent() async throws {
        let server = try SimulatedServer()
        let (isRead, mayContinue) = (Shared(false), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            server.accept()
            server.readScript()
            isRead.change { $0 = true }
            mayContinue.wait()
            server.answerScript()
        }
        guard case .connected(let made) = try PostgreSQLAddress(server.url).connect() else {
            throw BrokerError.unavailable("the simulated server")
        }
        let link = Link(made.connection, onNotify: {}, onBreak: { _ in })
        let first = Task { try await link.script("SELECT 1", within: .seconds(20)) }
        try await eventually { isRead.value }
        let second = Task { try await link.script("SELECT 2", within: .seconds(20)) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        mayContinue.signal()
        try await first.value
        #expect(link.isIdle)
        link.close()
    }
}
