import RxStreams
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test func leaveDoesNotReturnMessagesPastDeadline() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (server, driver) async throws in
            let member = member(driver, deadline: .milliseconds(1))
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(600)) }
            let pull = try #require(try await pulls.wait { $0.count == 1 }.first)
            pulling.cancel()
            await #expect(throws: CancellationError.self) { _ = try await pulling.value }
            try await server.say(pull.delivery(1))
            try await driver.client.roundTrip(within: .seconds(20))
            try await driver.client.loop.scheduleTask(in: .milliseconds(2)) {}.futureResult.get()
            await member.leave()
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(!server.lines.contains("-NAK"))
        }
    }

    @Test func pullEndsWhenMemberLeavesAndWhenBrokerIsClosed() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            func pull(_ member: NATSMember) {
                Task {
                    do {
                        ends.add("\(try await member.pull(upTo: 1, within: .seconds(600)).count)")
                    } catch {
                        ends.add("\(error)")
                    }
                }
            }
            let first = member(driver)
            pull(first)
            try await pulls.wait { $0.count == 1 }
            await first.leave()
            try await ends.wait { $0 == ["0"] }
            pull(NATSMember(driver, stream: "s", group: GroupSettings("g")))
            try await pulls.wait { $0.count == 2 }
            await driver.close()
            try await ends.wait { $0 == ["0", "the broker has been closed"] }
        }
    }

    @Test func leaveReturnsReceivedAndPendingMessages() async throws {
        let pulls = Seen<Request>()
        let server = try await LittleServer.start { _ in
            // The server sends message 3 before it answers `PullInbox.probe`.
            LittleServer.asked(probed: { pulls.all.map { $0.delivery(3) } }) { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(1)]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 3, within: .seconds(20))) == [1])
        try await server.say(try #require(pulls.all.first).delivery(2))
        try await driver.client.roundTrip(within: .seconds(20))
        await member.leave()
        try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
        #expect((2...3).allSatisfy { server.lines.contains("PUB $JS.ACK.s.g.1.\($0).\($0).1.0 4") })
        await driver.close()
        await server.stop()
    }

    /// If the member returned messages earlier, the server could redeliver them to the ended pull.
    @Test func stopPullingReturnsMessagesAfterServerForgetsPull() async throws {
        let pulls = Seen<Request>(), probes = Seen<Request>()
        let probe = String(decoding: PullInbox.probe, as: UTF8.self)
        let server = try await LittleServer.start { _ in
            let reading = Self.pulled(into: pulls) { [$0.delivery(1)] }
            return LittleServer.Script(greeting: reading.greeting) { line in
                let answer = reading.answer(line)
                if line != probe { return answer }
                probes.add(Request(subject: "", body: answer?.joined() ?? ""))
                return []
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 3, within: .seconds(20))) == [1])
        try await server.say(try #require(pulls.all.first).delivery(2))
        try await driver.client.roundTrip(within: .seconds(20))
        let end = Task { await member.stopPulling() }
        try await probes.wait { !$0.isEmpty }
        try await server.say(try #require(pulls.all.first).delivery(3))
        try await driver.client.roundTrip(within: .seconds(20))
        #expect(server.lines.contains { $0.hasPrefix("UNSUB") } && !server.lines.contains("-NAK"))
        try await server.say(try #require(probes.all.first).body)
        await end.value
        try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
        await #expect(throws: BrokerError.self) { _ = try await member.pull(upTo: 1, within: .seconds(1)) }
        try await member.settle([Verdict(MessageToken("$JS.ACK.s.g.1.1.1.1.0"), .done)])
        await member.leave()
        #expect(probes.all.count == 1)
        await driver.close()
        await server.stop()
    }

    @Test func leaveReturnsMessageReceivedInsteadOfAnswer() async throws {
        let pulls = Seen<Request>()
        let probe = String(decoding: PullInbox.probe, as: UTF8.self)
        let server = try await LittleServer.start { _ in
            let good = Self.pulled(into: pulls) { [$0.delivery(1)] }
            return LittleServer.Script(greeting: good.greeting) { line in
                let answer = good.answer(line)
                if line != probe { return answer }
                let words = (answer?.first ?? "").split(separator: " ")
                return ["MSG s \(words[2]) $JS.ACK.s.g.1.2.2.1.0 1\r\nx\r\n"]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 3, within: .seconds(20))) == [1])
        await member.leave()
        try await eventually { server.lines.contains("PUB $JS.ACK.s.g.1.2.2.1.0 4") }
        await driver.close()
        await server.stop()
    }

    @Test func leftMemberPullWithoutWaitReturnsNothing() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(1)]
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 3, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            await member.leave()
            #expect(try await brought(by: member, upTo: 3, within: .seconds(0)).isEmpty)
            #expect(pulls.all.count == 1)
        }
    }

    @Test func leftMemberPullIsRefused() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (_, driver) async throws in
            let member = member(driver)
            await member.leave()
            await #expect(throws: BrokerError.refused("a member that has left cannot pull")) {
                _ = try await member.pull(upTo: 1, within: .seconds(600))
            }
        }
    }

    @Test func pullWithoutWaitThrowsWhenBrokerIsClosed() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            // The driver does not know this member, so closing the driver does not make the member leave.
            let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
            Task {
                do {
                    ends.add("\(try await member.pull(upTo: 1, within: .seconds(0)).count)")
                } catch {
                    ends.add("\(error)")
                }
            }
            try await pulls.wait { $0.count == 1 }
            await driver.close()
            try await ends.wait { $0 == ["the broker has been closed"] }
        }
    }

    @Test func releasedMemberUnsubscribes() async throws {
        try await with { _ in
            LittleServer.asked { request in request.subject.contains(".NEXT.") ? [request.delivery(1)] : [] }
        } run: { (server, driver) async throws in
            func pullOnce() async throws {
                let one = NATSMember(driver, stream: "s", group: GroupSettings("g"))
                #expect(positions(try await one.pull(upTo: 1, within: .seconds(20))) == [1])
            }
            try await pullOnce()
            try await eventually { server.lines.contains { $0.hasPrefix("UNSUB") } }
        }
    }
}
