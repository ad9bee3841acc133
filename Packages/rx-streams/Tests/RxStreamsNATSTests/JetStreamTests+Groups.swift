import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test func joinOfGroupCreatedConcurrentlySucceeds() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                let isFirst = asked.all.filter { $0 == request.subject }.count == 1
                switch request.subject {
                case "$JS.API.CONSUMER.INFO.s.g" where isFirst:
                    return [request.error(404, 10_014, "consumer not found")]
                case "$JS.API.CONSUMER.DURABLE.CREATE.s.g":
                    return [request.error(400, 10_148, "consumer already exists")]
                default: return [request.answer(Self.group)]
                }
            }
        } run: { (_, driver) async throws in
            _ = try await driver.join(GroupSettings("g"), of: "s")
        }
        #expect(
            asked.all == [
                "$JS.API.CONSUMER.INFO.s.g", "$JS.API.CONSUMER.DURABLE.CREATE.s.g", "$JS.API.CONSUMER.INFO.s.g",
            ])
    }

    @Test func joinWithOtherDeadlineUpdatesGroup() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(Self.group)]
            }
        } run: { (_, driver) async throws in
            _ = try await driver.join(GroupSettings("g", deadline: .seconds(50)), of: "s")
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.CONSUMER.INFO.s.g", "$JS.API.CONSUMER.DURABLE.CREATE.s.g"])
        #expect(asked.all.last?.body.contains(#""ack_wait":50000000000"#) == true, "\(asked.all)")
    }

    @Test func joinWithShorterDeadlineReportsGroupsDeadlineInForce() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(Self.group)] }
        } run: { (_, driver) async throws in
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(1)), of: "s")
            #expect(member.deadlineInForce == .nanoseconds(30_000_000_000))
        }
    }

    /// JetStream's positions start with 1, so the start 0 must become 1.
    @Test func joinMissingGroupCreatesItWithSettings() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.contains(".INFO.") { return [request.error(404, 10_014, "consumer not found")] }
                return [request.answer(Self.group)]
            }
        } run: { (_, driver) async throws in
            let group = GroupSettings("g", maxUnsettled: 5, start: .position(Position(0)), filter: "s.a")
            _ = try await driver.join(group, of: "s")
        }
        let body = asked.all.last?.body ?? ""
        for field in [
            #""ack_policy":"explicit","#, #""ack_wait":30000000000,"#, #""filter_subject":"s.a","#,
            #""max_ack_pending":5,"#, #""max_deliver":-1,"#, #""max_waiting":4096,"#, #""opt_start_seq":1,"#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test(arguments: [
        (GroupSettings("g", maxUnsettled: 5), #""max_ack_pending":5"#),
        (GroupSettings("g", deadline: .seconds(31)), #""ack_wait":31000000000"#),
    ])
    func joinWithOneOtherSettingUpdatesGroup(group: GroupSettings, change: String) async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(Self.group)]
            }
        } run: { (_, driver) async throws in
            _ = try await driver.join(group, of: "s")
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.CONSUMER.INFO.s.g", "$JS.API.CONSUMER.DURABLE.CREATE.s.g"])
        #expect(asked.all.last?.body.contains(change) == true, "\(asked.all)")
    }

    @Test func joinRefusedByServerThrowsRefused() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.contains(".INFO.") { return [request.error(404, 10_014, "consumer not found")] }
                return [request.error(400, 10_026, "maximum consumers limit reached")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused("maximum consumers limit reached")) {
                _ = try await driver.join(GroupSettings("g"), of: "s")
            }
        }
        #expect(asked.all == ["$JS.API.CONSUMER.INFO.s.g", "$JS.API.CONSUMER.DURABLE.CREATE.s.g"])
    }

    @Test func closeReturnsReceivedAndUnsettledMessages() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.answer(Self.group)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (server, driver) async throws in
            let member = try await driver.join(GroupSettings("g"), of: "s")
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            await driver.close()
            try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
            #expect((1...2).allSatisfy { server.lines.contains("PUB $JS.ACK.s.g.1.\($0).\($0).1.0 4") })
            withExtendedLifetime(member) {}
        }
    }

    private final class Silence: Sendable {
        private let isOn = Mutex(false)
        private let pings = Seen<String>()

        func script(_ good: LittleServer.Script) -> LittleServer.Script {
            LittleServer.Script(greeting: good.greeting) { [self] line in
                if line != "PING" || !isOn.withLock({ $0 }) { return good.answer(line) }
                pings.add(line)
                return []
            }
        }

        func begin() { isOn.withLock { $0 = true } }

        func ping() async throws { try await pings.wait { !$0.isEmpty } }

        func end(_ server: LittleServer) async {
            isOn.withLock { $0 = false }
            try? await server.say("PONG\r\n")
        }
    }

    @Test func pullWhileClosingThrowsClosed() async throws {
        let pulls = Seen<Request>(), silence = Silence()
        try await with { _ in
            silence.script(Self.pulled(into: pulls))
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(600)) }
            try await pulls.wait { $0.count == 1 }
            silence.begin()
            let closing = Task { await driver.close() }
            try await silence.ping()
            await #expect(throws: BrokerError.closed) { _ = try await pulling.value }
            await #expect(throws: BrokerError.closed) { _ = try await member.pull(upTo: 1, within: .seconds(600)) }
            await silence.end(server)
            await closing.value
        }
    }

    @Test func joinWhileClosingThrowsClosed() async throws {
        let silence = Silence()
        try await with { _ in
            silence.script(LittleServer.asked { request in [request.answer(Self.group)] })
        } run: { (server, driver) async throws in
            silence.begin()
            let closing = Task { await driver.close() }
            try await silence.ping()
            await #expect(throws: BrokerError.closed) { _ = try await driver.join(GroupSettings("g"), of: "s") }
            await silence.end(server)
            await closing.value
        }
    }

    @Test func secondCloseWaitsForReturnedMessages() async throws {
        let pulls = Seen<Request>(), silence = Silence()
        try await with { _ in
            silence.script(
                Self.pulled(into: pulls) { request in
                    [request.delivery(pulls.all.count)]
                })
        } run: { (server, driver) async throws in
            let members = [member(driver), member(driver)]
            for (number, member) in members.enumerated() {
                _ = try await member.pull(upTo: 2, within: .seconds(600))
                // No `pull` waits for this message, so `close` must hand it back.
                try await server.say(try #require(pulls.all.last).delivery(number + 3))
            }
            try await driver.client.roundTrip(within: .seconds(20))
            silence.begin()
            let first = Task { await driver.close() }
            try await silence.ping()
            let executor = QueueExecutor()
            let second = Task(executorPreference: executor) { await driver.close() }
            second.cancel()
            executor.queue.sync {}
            await silence.end(server)
            await second.value
            await first.value
            try await eventually {
                (3...4).allSatisfy { server.lines.contains("PUB $JS.ACK.s.g.1.\($0).\($0).1.0 4") }
            }
            withExtendedLifetime(members) {}
        }
    }

    @Test func extendedMessageIsReturnedAfterItsFirstDeadline() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (_, driver) async throws in
            let token = "$JS.ACK.s.g.1.1.1.1.0"
            driver.unsettled.add([token], due: .uptimeNanoseconds(0))
            try await member(driver).settle([Verdict(MessageToken(token), .extended)])
            // This many tokens trigger the removal of expired ones.
            driver.unsettled.add((0..<1_024).map { "\($0)" }, due: .distantFuture)
            #expect(driver.unsettled.takeAll().contains(token))
        }
    }

    @Test func tokenWithInjectedCommandIsRefused() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let token = "$JS.ACK.s 0\r\n\r\nPUB x"
            await #expect(throws: BrokerError.refused("\(token.debugDescription) is not the token of a message")) {
                try await member(driver).settle([Verdict(MessageToken(token), .done)])
            }
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(!server.lines.contains { $0.hasPrefix("PUB") })
        }
    }

    @Test func settlementOfNoMessagesNeedsNoConnection() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (_, driver) async throws in
            await driver.close()
            await #expect(throws: Never.self) { try await member(driver).settle([]) }
        }
    }
}
