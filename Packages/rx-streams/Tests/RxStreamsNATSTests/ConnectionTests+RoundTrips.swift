import NIOCore
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func twoUnansweredPingsAreReported() async throws {
        let pings = Seen<Int>()
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { line in
                if line == "PING" { pings.add(1) }
                return line == "PING" && pings.all.count == 1 ? ["PONG\r\n"] : []
            }, saying: "not answered 2 PINGs", pings: .milliseconds(300))
    }

    @Test func roundTripFailsWhenConnectionIsLost() async throws {
        let (pings, ends) = (Seen<Int>(), Seen<String>())
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                // The first PING belongs to the handshake.
                return pings.all.count == 2 ? nil : ["PONG\r\n"]
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .seconds(600))
                ends.add("answered")
            } catch BrokerError.unavailable {
                ends.add("unavailable")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["unavailable"])
        await trip.value
        await client.close()
        await server.stop()
    }

    @Test func answeredPingsKeepConnection() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) {
            ($0.pingInterval, $0.pingsMissed) = (.milliseconds(50), 20)
        }
        client.start()
        try await eventually { server.lines.filter { $0 == "PING" }.count > 30 }
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    @Test func pongOfKeepAliveDoesNotEndRoundTrip() async throws {
        let server = try await LittleServer.start { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PUB answer 0" { return ["PONG\r\n"] }
                guard line == "PING" else { return [] }
                let count = pings.withLock { pings in
                    pings += 1
                    return pings
                }
                return count == 1 ? ["PONG\r\n"] : []
            }
        }
        let client = try NATSClient.testing([server.url]) { ($0.pingInterval, $0.pingsMissed) = (.seconds(1), 1_000) }
        client.start()
        func pings() -> Int { server.lines.filter { $0 == "PING" }.count }
        // The second PING is the keep-alive's. The third one belongs to the round trip.
        try await eventually { pings() == 2 }
        let trip = Task { try await client.roundTrip(within: .milliseconds(600)) }
        try await eventually { pings() > 2 }
        try await client.send([OutgoingMessage(subject: "answer")])
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) { try await trip.value }
        await client.close()
        await server.stop()
    }

    @Test func roundTripEndsWhenClientIsClosed() async throws {
        let ends = Seen<String>()
        let (server, client) = try await connected { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                let isFirst = pings.withLock { pings in
                    defer { pings += 1 }
                    return pings == 0
                }
                return isFirst ? ["PONG\r\n"] : []
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .seconds(600))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await eventually { server.lines.filter { $0 == "PING" }.count == 2 }
        await client.close()
        try await ends.wait { $0 == ["the broker has been closed"] }
        await trip.value
        await server.stop()
    }

    @Test func roundTripUnansweredFails() async throws {
        let (pings, ends) = (Seen<Int>(), Seen<String>())
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                return pings.all.count == 1 ? ["PONG\r\n"] : []
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .milliseconds(200))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["the broker is unavailable: the server did not answer in time"])
        await trip.value
        await client.close()
        await server.stop()
    }

    @Test func roundTripIgnoresLatePongOfPrevious() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                return pings.all.count == 2 ? [] : ["PONG\r\n"]
            }
        }
        for span in [TimeAmount.milliseconds(200), .seconds(1)] {
            await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
                try await client.roundTrip(within: span)
            }
        }
        await client.close()
        await server.stop()
    }

    @Test func serverPingIsAnswered() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n", "PING\r\n"] : [] }
        }
        let client = try NATSClient.testing([server.url])
        client.start()
        try await eventually { server.lines.contains("PONG") }
        await client.close()
        await server.stop()
    }

    @Test func roundTripWaitsForItsOwnTimeout() async throws {
        let (server, client) = try await connected { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PUB answer 0" { return ["PONG\r\n"] }
                guard line == "PING" else { return [] }
                let isFirst = pings.withLock { pings in
                    defer { pings += 1 }
                    return pings == 0
                }
                return isFirst ? ["PONG\r\n"] : []
            }
        }
        let ends = Seen<String>()
        try await begin(1, ends: ends) { try await client.roundTrip(within: .seconds(600)) }
        try await eventually { server.lines.filter { $0 == "PING" }.count == 2 }
        // The timeout is checked several times during this wait.
        try await client.loop.scheduleTask(in: .milliseconds(400)) {}.futureResult.get()
        #expect(ends.all.isEmpty)
        try await client.send([OutgoingMessage(subject: "answer")])
        try await ends.wait { $0 == ["done"] }
        await client.close()
        await server.stop()
    }

    @Test func roundTripAfterReconnectionExpectsNoOldPong() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { number in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(number)
                return number > 0 || pings.all.count == 1 ? ["PONG\r\n"] : nil
            }
        }
        await #expect(throws: BrokerError.self) { try await client.roundTrip(within: .seconds(20)) }
        try await client.untilReady(within: .seconds(20))
        try await client.roundTrip(within: .seconds(5))
        #expect(server.connections == 2)
        await client.close()
        await server.stop()
    }

    @Test func unsolicitedPongIsIgnored() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\nPONG\r\n"] : [] }
        }
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }
}
