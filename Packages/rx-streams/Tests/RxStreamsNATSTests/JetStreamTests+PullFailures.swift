import RxStreams
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test(arguments: [
        ("409 Server Shutdown", "Nats-Pending-Messages: 1"), ("409 Leadership Change", "Colour: blue"),
    ])
    func pullWithoutWaitEndedByServerThrowsUnavailable(status: String, field: String) async throws {
        try await with { _ in
            LittleServer.asked { [$0.status(status, field)] }
        } run: { (_, driver) async throws in
            let error = BrokerError.unavailable("the server has ended a pull: \(status.dropFirst(4))")
            await #expect(throws: error) { _ = try await member(driver).pull(upTo: 1, within: .seconds(0)) }
        }
    }

    @Test func pullEndedByServerIsRepeated() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [
                    pulls.all.count == 1
                        ? request.status("409 Server Shutdown", "Nats-Pending-Messages: 1") : request.delivery(1)
                ]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test(arguments: ["$JS.ACK.s.g.1.2.2.1.0", "$JS.ACK.hub.ACCOUNT.s.g.1.2.2.1.0.x"])
    func acknowledgementForbiddenFailsPullsAndVerdicts(subject: String) async throws {
        let words = #"Permissions Violation for Publish to "\#(subject)""#
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.ACK.") { return ["-ERR '\(words)'\r\n"] }
                return request.subject.contains(".NEXT.") ? [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let (member, other) = (member(driver), NATSMember(driver, stream: "s", group: GroupSettings("other")))
            _ = driver.add(other)
            let pulled = try await member.pull(upTo: 1, within: .seconds(20))
            try await member.settle([Verdict(pulled[0].token, .done)])
            try await driver.client.roundTrip(within: .seconds(20))
            let refusal = BrokerError.refused("the server says: \(words)")
            for _ in 1...2 {
                await #expect(throws: refusal) { _ = try await member.pull(upTo: 1, within: .seconds(20)) }
                await #expect(throws: refusal) { try await member.settle([Verdict(pulled[0].token, .done)]) }
            }
            #expect(positions(try await other.pull(upTo: 1, within: .seconds(20))) == [1])
        }
    }

    @Test func acknowledgementForbiddenWhilePullingFailsPull() async throws {
        let words = #"Permissions Violation for Publish to "$JS.ACK.s.g.1.1.1.1.0""#
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (server, driver) async throws in
            let ends = Seen<String>()
            let member = member(driver)
            let pulling = Task {
                do { _ = try await member.pull(upTo: 1, within: .seconds(600)) } catch { ends.add("\(error)") }
            }
            try await pulls.wait { $0.count == 1 }
            try await server.say("-ERR '\(words)'\r\n")
            try await ends.wait { $0 == ["\(BrokerError.refused("the server says: \(words)"))"] }
            await pulling.value
        }
    }

    @Test func forbiddenPullThrowsRefused() async throws {
        let words = #"Permissions Violation for Publish to "$JS.API.CONSUMER.MSG.NEXT.s.g""#
        try await with { _ in
            LittleServer.asked { _ in ["-ERR '\(words)'\r\n"] }
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.refused("the server says: \(words)")) {
                _ = try await member(driver).pull(upTo: 1, within: .seconds(20))
            }
            try await eventually { server.lines.contains("UNSUB 2") }
        }
    }

    @Test func pullAfterConnectionLossRequestsAgain() async throws {
        try await with { connection in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? connection == 0 ? nil : [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let pulled = try await member(driver).pull(upTo: 1, within: .seconds(20))
            #expect(positions(pulled) == [1])
        }
    }

    @Test func pullWithoutWaitAfterConnectionLossRequestsAgain() async throws {
        try await with { connection in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? connection == 0 ? nil : [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await member.pull(upTo: 1, within: .seconds(0)).isEmpty)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [1])
        }
    }

    @Test func twoMissedHeartbeatsRepeatPullAndReturnLateMessages() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            let good = LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.group)] }
                pulls.add(request)
                return pulls.all.count > 1 ? [request.delivery(2)] : []
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                // The script sends this message as if the server had not yet read the UNSUB.
                if line.hasPrefix("UNSUB"), let first = pulls.all.first { return [first.delivery(1)] }
                return good.answer(line)
            }
        } options: {
            $0.heartbeat = .milliseconds(100)
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [2])
            try await eventually { server.lines.contains("-NAK") }
            #expect(server.lines.contains("PUB $JS.ACK.s.g.1.1.1.1.0 4"))
            await member.leave()
        }
    }

    @Test func heartbeatsKeepPull() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } options: {
            $0.heartbeat = .seconds(1)
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(60)) }
            let pull = try #require(try await pulls.wait { $0.count == 1 }.first)
            // The loop lasts 3.5 s. An idle pull would be abandoned after 2.5 s.
            for _ in 0..<7 {
                try await Task.sleep(nanoseconds: 500_000_000)
                try await server.say(pull.status("100 Idle Heartbeat"))
            }
            try await server.say(pull.delivery(1))
            #expect(positions(try await pulling.value) == [1])
            #expect(pulls.all.count == 1)
        }
    }

    @Test func pullOfSilentlyRemovedGroupThrowsMissing() async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".INFO.") ? [request.error(404, 10_014, "consumer not found")] : []
            }
        } options: {
            $0.heartbeat = .milliseconds(100)
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.missing("group g of stream s")) {
                _ = try await member(driver).pull(upTo: 1, within: .seconds(20))
            }
        }
    }

    /// A server that is removing a consumer does not answer pulls.
    @Test func pullUnansweredOfRemovedGroupThrowsMissingSoon() async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".INFO.") ? [request.error(404, 10_014, "consumer not found")] : []
            }
        } run: { (_, driver) async throws in
            let (ends, member) = (Seen<String>(), member(driver))
            let pulling = Task {
                do { _ = try await member.pull(upTo: 1, within: .seconds(3_000)) } catch { ends.add("\(error)") }
            }
            try await ends.wait { $0 == ["\(BrokerError.missing("group g of stream s"))"] }
            pulling.cancel()
            await pulling.value
        }
    }

    @Test func pullUnansweredOfExistingGroupKeepsWaiting() async throws {
        let (pulls, asked) = (Seen<Request>(), Seen<String>())
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.contains(".INFO.") { return [request.answer(Self.group)] }
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(3_000)) }
            try await asked.wait { $0.contains { $0.contains(".INFO.") } }
            try await server.say(try #require(pulls.all.first).delivery(1))
            #expect(positions(try await pulling.value) == [1])
            #expect(asked.all.count { $0.contains(".INFO.") } == 1 && pulls.all.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func pullWithoutResponderChecksGroup(isThere: Bool) async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { return [request.status("503")] }
                return [isThere ? request.answer(Self.group) : request.error(404, 10_014, "consumer not found")]
            }
        } run: { (_, driver) async throws in
            let error =
                isThere
                ? BrokerError.unavailable("no responders for g of stream s") : .missing("group g of stream s")
            await #expect(throws: error) { _ = try await member(driver).pull(upTo: 1, within: .seconds(20)) }
        }
    }

    @Test func pullWithoutResponderUnsubscribesInbox() async throws {
        try await with { _ in
            LittleServer.asked { request in
                [request.subject.contains(".NEXT.") ? request.status("503") : request.answer(Self.group)]
            }
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.unavailable("no responders for g of stream s")) {
                _ = try await member(driver).pull(upTo: 1, within: .seconds(20))
            }
            try await eventually { server.lines.contains("UNSUB 2") }
        }
    }

    @Test func pullWhileDisconnectedDeliversReceivedMessages() async throws {
        let pulls = Seen<Request>()
        try await with { connection in
            connection > 0
                ? LittleServer.Script(closes: true)
                : Self.pulled(into: pulls) { request in
                    [request.delivery(1)]
                }
        } options: {
            $0.requestTimeout = .seconds(600)
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            let (seen, subscription) = driver.client.seenStatus()
            await server.drop()
            try await seen.wait { all in all.contains { if case .connecting = $0 { true } else { false } } }
            let pulled = Seen<[UInt64]>()
            let pulling = Task { pulled.add(positions(try await member.pull(upTo: 2, within: .seconds(600)))) }
            try await pulled.wait { $0 == [[2]] }
            pulling.cancel()
            subscription.dispose()
        }
    }

    @Test func pullOfOldConnectionIsForgotten() async throws {
        try await with { connection in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                return connection == 0 ? nil : [request.status("404 No Messages", "Nats-Pending-Messages: 1")]
            }
        } options: {
            $0.requestTimeout = .seconds(600)
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(0)).isEmpty)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(0)).isEmpty)
        }
    }

    @Test(arguments: [("409 Exceeded MaxWaiting", "Exceeded MaxWaiting"), ("503", "no responders for g of stream s")])
    func pullErrorIsReportedOnce(status: String, why: String) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.answer(Self.group)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [pulls.all.count == 1 ? request.status(status) : request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            await #expect(throws: BrokerError.unavailable(why)) {
                _ = try await member.pull(upTo: 1, within: .seconds(20))
            }
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [1])
        }
    }

    /// A pull of 150 ms has no heartbeats.
    @Test func pullUnansweredOnceIsRepeated() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.contains(".INFO.") { return [request.answer(Self.group)] }
                let count = asked.all.filter { $0.contains(".NEXT.") }.count
                return request.subject.contains(".NEXT.") && count > 1 ? [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await member.pull(upTo: 1, within: .milliseconds(150)).isEmpty)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(600)) == [1])
            #expect(asked.all.count { $0.contains(".INFO.") } == 1)
        }
    }

    @Test func statusAtOldInboxIsIgnored() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            let good = LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.answer(Self.group)] }
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return []
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                if line.hasPrefix("UNSUB"), let first = pulls.all.first { return [first.status("503")] }
                return good.answer(line)
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(try await member.pull(upTo: 1, within: .milliseconds(150)).isEmpty)
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(600)) }
            let pull = try #require(try await pulls.wait { $0.count == 2 }.last)
            try await eventually { server.lines.contains { $0.hasPrefix("UNSUB") } }
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(pull.delivery(1))
            #expect(positions(try await pulling.value) == [1])
        }
    }

    @Test func pullLostIsRepeatedWithNewInbox() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (server, driver) async throws in
            let member = member(driver)
            let first = Task { try await member.pull(upTo: 4, within: .seconds(20)) }
            try await server.say(try #require(try await pulls.wait { $0.count == 1 }.last).delivery(1))
            #expect(positions(try await first.value) == [1])
            let second = Task { try await member.pull(upTo: 4, within: .seconds(20)) }
            try await pulls.wait { $0.count == 2 }
            // The status has no count of pending messages, so the member abandons all requests.
            try await server.say(pulls.all[0].status("408 Request Timeout"))
            let last = try #require(try await pulls.wait { $0.count == 3 }.last)
            #expect(last.sid != pulls.all[0].sid)
            try await eventually { server.lines.contains { $0.hasPrefix("UNSUB \(pulls.all[0].sid)") } }
            try await server.say(last.delivery(2))
            #expect(positions(try await second.value) == [2])
        }
    }

    @Test func messagesKeepPull() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } options: {
            $0.heartbeat = .seconds(1)
        } run: { (server, driver) async throws in
            let member = member(driver)
            // The loop lasts 3.5 s, as in `heartbeatsKeepPull`.
            for number in 1...7 {
                let pulling = Task { try await member.pull(upTo: 100, within: .seconds(60)) }
                let pull = try #require(try await pulls.wait { !$0.isEmpty }.first)
                try await Task.sleep(nanoseconds: 500_000_000)
                try await server.say(pull.delivery(number))
                #expect(positions(try await pulling.value) == [UInt64(number)])
            }
            #expect(pulls.all.count == 1)
        }
    }
}
