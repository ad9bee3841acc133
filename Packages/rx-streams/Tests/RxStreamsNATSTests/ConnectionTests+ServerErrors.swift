import Logging
import RxStreams
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test(arguments: [
        ("Permissions Violation for Subscription to \"x\"", "the server closed the connection"),
        ("Invalid Subject", "the server closed the connection"),
        ("maximum subscriptions exceeded", "the server closed the connection"),
        ("Maximum Connections Exceeded", "the server says: Maximum Connections Exceeded"),
    ])
    func serverErrorExplainsEndUnlessConnectionSurvivesIt(error: String, why: String) async throws {
        let server = try await LittleServer.start { number in
            if number > 0 { return LittleServer.good }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR '\(error)'\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await client.send([OutgoingMessage(subject: "break")])
        try await seen.wait { all in
            all.contains { if case .connecting(_, _?) = $0 { true } else { false } }
        }
        #expect(seen.all.contains(.connecting(attempt: 1, why: why)), "\(seen.all)")
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    private static func forbidding(_ line: String, _ words: String) -> LittleServer.Script {
        LittleServer.Script(greeting: [LittleServer.info]) { said in
            if said == "PING" { return ["PONG\r\n"] }
            return said.hasPrefix(line) ? ["-ERR 'Permissions Violation for \(words)'\r\n"] : []
        }
    }

    @Test func forbiddenSubscriptionFailsAlone() async throws {
        let words = #"Subscription to "x""#
        let server = try await LittleServer.start { _ in Self.forbidding("SUB x", words) }
        let (driver, ends) = (NATSDriver(try NATSClient.testing([server.url])), Seen<String>())
        let listening = ["x", "y"].map { subject in
            driver.messages(on: subject).subscribe(onError: { ends.add("\(subject): \($0)") })
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["x: \(BrokerError.refused("the server says: Permissions Violation for \(words)"))"])
        for listening in listening { listening.dispose() }
        await driver.close()
        await server.stop()
    }

    @Test func forbiddenSubscriptionIsNotRenewed() async throws {
        let server = try await LittleServer.start { _ in Self.forbidding("SUB x", #"Subscription to "x""#) }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, end: { _ in ends.add("x") }, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, deliver: { _ in })
        try await ends.wait { $0 == ["x"] }
        await server.drop()
        try await eventually { server.lines.filter { $0 == "SUB y 3" }.count == 2 }
        #expect(server.lines.filter { $0 == "SUB x 2" }.count == 1)
        await client.close()
        #expect(ends.all == ["x"])
        await server.stop()
    }

    @Test func forbiddenRequestFailsAtOnceAndAlone() async throws {
        let words = #"Publish to "a""#
        let (server, client) = try await connected { _ in
            Self.forbidding("PUB a ", words)
        } options: {
            $0.requestTimeout = .seconds(20)
        }
        let waiting = Task { try await client.request([OutgoingMessage(subject: "b")], within: .seconds(600)) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB b ") } }
        await #expect(throws: BrokerError.refused("the server says: Permissions Violation for \(words)")) {
            _ = try await client.request(["c", "a"].map { OutgoingMessage(subject: $0) })
        }
        // The client has handled the server's error before `roundTrip` returns.
        try await client.roundTrip(within: .seconds(20))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await client.close()
        await server.stop()
    }

    @Test func forbiddenInboxFailsRequestsUntilReconnection() async throws {
        let asked = Seen<String>()
        let server = try await LittleServer.start { number in
            LittleServer.asked { request in
                asked.add(request.subject)
                if number > 0 { return [request.answer("x")] }
                let inbox = request.reply.split(separator: ".").dropLast().joined(separator: ".") + ".*"
                return asked.all.count > 1 ? [] : ["-ERR 'Permissions Violation for Subscription to \"\(inbox)\"'\r\n"]
            }
        }
        let client = try NATSClient.testing([server.url]) { $0.requestTimeout = .seconds(20) }
        client.start()
        for _ in 0..<2 {
            let error = await #expect(throws: BrokerError.self) {
                _ = try await client.request([OutgoingMessage(subject: "a")])
            }
            #expect(error?.refusal != nil, "\(String(describing: error))")
        }
        await server.drop()
        try await eventually { server.connections == 2 }
        try await eventually { (try? await client.request([OutgoingMessage(subject: "a")]))?.count == 1 }
        await client.close()
        await server.stop()
    }

    @Test func permissionErrorDuringHandshakeIsReported() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) {
                $0 == "PING" ? ["-ERR 'Permissions Violation for Publish to \"x\"'\r\n"] : []
            }, saying: "Permissions Violation")
    }

    @Test func unknownServerErrorKeepsConnection() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR 'Something New'\r\n"] : []
            }
        }
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    private func logging(_ url: String) throws -> (NATSClient, Seen<String>) {
        let told = Seen<String>()
        let like = try NATSClient.testing([url])
        let logger = Logger(label: "test", factory: { _ in SeenLog(told) })
        return (NATSClient(like.options, on: like.loop, logger: logger), told)
    }

    @Test(arguments: ["Permissions Violation for Subscription to \"x\"", "maximum subscriptions exceeded"])
    func subscriptionErrorIsLogged(error: String) async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR '\(error)'\r\n"] : []
            }
        }
        let (client, told) = try logging(server.url)
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await told.wait { $0.contains("warning: the server says: \(error)") }
        await client.close()
        await server.stop()
    }

    @Test func serverErrorsOfOneKindAreLoggedAtMostTenTimesAMinute() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, told) = try logging(server.url)
        client.start()
        try await client.untilReady(within: .seconds(20))
        for number in 0..<100 {
            try await server.say("-ERR 'Permissions Violation for Publish to \"$JS.ACK.s.g.1.\(number)\"'\r\n")
        }
        try await server.say("-ERR 'Invalid Subject'\r\n")
        try await told.wait { $0.contains { $0.contains("Invalid Subject") } }
        #expect(told.all.count { $0.contains("Permissions Violation") } == 10)
        await client.close()
        await server.stop()
    }

    @Test func connectionAndLossAreLogged() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let (client, told) = try logging(server.url)
        client.start()
        try await told.wait { $0 == ["info: connected"] }
        try await client.send([OutgoingMessage(subject: "break")])
        try await told.wait { $0.starts(with: ["info: connected", "warning: no connection"]) }
        await client.close()
        await server.stop()
    }

    @Test func closeLogsNoWarning() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, told) = try logging(server.url)
        client.start()
        try await told.wait { $0 == ["info: connected"] }
        await client.close()
        #expect(told.all == ["info: connected"])
        await server.stop()
    }
}

private struct SeenLog: LogHandler {
    let told: Seen<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ told: Seen<String>) {
        self.told = told
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        told.add("\(event.level): \(event.message)")
    }
}
