import NIOCore
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func settledTokenExtendedIsNotReturned() {
        let unsettled = Unsettled()
        unsettled.add(["a", "b"], due: .now() + .seconds(600))
        unsettled.remove("a")
        for token in ["a", "b"] { unsettled.extend(token, due: .distantFuture) }
        #expect(unsettled.takeAll() == ["b"])
        #expect(unsettled.takeAll().isEmpty)
    }

    @Test func unsettledTokensPastDeadlineAreSwept() {
        let unsettled = Unsettled()
        unsettled.add((0..<1_023).map { "\($0)" }, due: .uptimeNanoseconds(1))
        unsettled.add(["last"], due: .distantFuture)
        #expect(unsettled.takeAll(at: .uptimeNanoseconds(0)) == ["last"])
    }

    @Test func unsettledTokenPastDeadlineIsNotReturned() {
        let unsettled = Unsettled()
        unsettled.add(["late"], due: .uptimeNanoseconds(1))
        unsettled.add(["a"], due: .uptimeNanoseconds(2))
        #expect(unsettled.takeAll(at: .uptimeNanoseconds(1)) == ["a"])
    }

    @Test func verdictsAreSentAsServerCommands() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        let settlements: [Settlement] = [
            .done, .givenUp, .extended, .again(after: .nanoseconds(0)), .again(after: .milliseconds(1_500)),
        ]
        try await member.settle(
            settlements.enumerated().map { Verdict(MessageToken("$JS.ACK.s.g.1.\($0 + 1).1.1.0"), $1) })
        func words() -> [String] { server.lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") } }
        try await eventually { words().count == 5 }
        #expect(words() == ["+ACK", "+TERM", "+WPI", "-NAK", "-NAK {\"delay\":1500000000}"])
        await driver.close()
        await server.stop()
    }

    @Test func foreignTokenIsRefusedAndNothingIsSent() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        await #expect(throws: BrokerError.refused("\"orders.new\" is not the token of a message")) {
            try await member.settle([
                Verdict(MessageToken("$JS.ACK.s.g.1.1.1.1.0"), .done), Verdict(MessageToken("orders.new"), .done),
            ])
        }
        try await driver.client.send([OutgoingMessage(subject: "end")])
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(!server.lines.contains("+ACK"))
        await driver.close()
        await server.stop()
    }

    @Test func closeReturnsUnsettledAndExtendedMessages() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        let tokens = (1...3).map { "$JS.ACK.s.g.1.\($0).\($0).1.0" }
        driver.unsettled.add(tokens, due: .now() + .seconds(600))
        try await member.settle([
            Verdict(MessageToken(tokens[0]), .done), Verdict(MessageToken(tokens[1]), .extended),
        ])
        await driver.close()
        try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
        // The second message is extended, and later returned by `close`.
        let told = tokens.map { token in server.lines.filter { $0 == "PUB \(token) 4" }.count }
        #expect(told == [1, 2, 1])
        await server.stop()
    }

    @Test(arguments: [
        ("409 Consumer Deleted", BrokerError.missing("group g of stream s")),
        ("409 Consumer is push based", .missing("group g of stream s")),
        ("400 Bad Request", .refused("the server rejects the pull: Bad Request")),
        ("409 Exceeded MaxRequestBatch of 10", .refused("the server rejects the pull: Exceeded MaxRequestBatch of 10")),
        ("409 Exceeded MaxWaiting", .unavailable("Exceeded MaxWaiting")),
    ])
    func pullStatusBecomesItsError(status: String, error: BrokerError) async throws {
        let address = Mutex("")
        let (server, client) = try await connected { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let (sid, size) = (address.withLock { $0 }, 13 + status.utf8.count)
                return ["HMSG \(words[2]) \(sid) \(size) \(size)\r\nNATS/1.0 \(status)\r\n\r\n\r\n"]
            }
        } options: {
            $0.heartbeat = .seconds(600)
        }
        let inbox = PullInbox(client, stream: "s", consumer: "g", deadline: .seconds(600))
        await #expect(throws: error) { _ = try await inbox.pull(upTo: 1, within: .seconds(20)) }
        await inbox.leave()
        await client.close()
        await server.stop()
    }

    @Test func readFromEarlierPositionUsesNewReader() async throws {
        let sent = Mutex<[String: Int]>([:]), addresses = Mutex<[String: String]>([:])
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB" {
                    addresses.withLock { $0[String(words[1].dropLast(2))] = words[2] }
                }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                if words[1].hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    let info = #"{"config":{},"delivered":{"stream_seq":0},"num_pending":9,"num_ack_pending":0}"#
                    return ["MSG \(words[2]) 1 \(info.utf8.count)\r\n\(info)\r\n"]
                }
                guard words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let number = sent.withLock { sent -> Int in
                    sent[words[1], default: 0] += 1
                    return sent[words[1]] ?? 0
                }
                let inbox = words[2].split(separator: ".").dropLast().joined(separator: ".")
                let sid = addresses.withLock { $0[inbox] ?? "" }
                return ["MSG s \(sid) $JS.ACK.s.c.1.\(number).\(number).1.0 1\r\nx\r\n"]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        var read: [UInt64] = []
        for position in [1, 1, 2] as [UInt64] {
            let messages = try await driver.read("s", from: Position(position), limit: 1, within: .seconds(20))
            read += messages.map(\.position.number)
        }
        #expect(read == [1, 1, 2])
        // The third read reuses a reader, so there are two consumers.
        #expect(sent.withLock { $0.values.sorted() } == [1, 2])
        await driver.close()
        await server.stop()
    }

    @Test func unrequestedMessageIsReturned() async throws {
        let address = Mutex("")
        let (server, client) = try await connected { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let sid = address.withLock { $0 }
                return (1...2).map { "MSG s \(sid) $JS.ACK.s.g.1.\($0).\($0).1.0 1\r\nx\r\n" }
            }
        } options: {
            $0.heartbeat = .seconds(600)
        }
        let inbox = PullInbox(client, stream: "s", consumer: "g", deadline: .seconds(600))
        let pulled = try await inbox.pull(upTo: 1, within: .seconds(600))
        #expect(pulled.map(\.reply) == ["$JS.ACK.s.g.1.1.1.1.0"])
        try await eventually { server.lines.contains("-NAK") }
        #expect(server.lines.contains("PUB $JS.ACK.s.g.1.2.2.1.0 4"))
        await inbox.leave()
        await client.close()
        await server.stop()
    }

    @Test func readerReturnsMessagesBeforeGapAndContinuesAtIt() async throws {
        let consumers = Mutex(0), address = Mutex("")
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                if words[1].hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    consumers.withLock { $0 += 1 }
                    let info = #"{"config":{},"delivered":{"stream_seq":0},"num_pending":4,"num_ack_pending":0}"#
                    return ["MSG \(words[2]) 1 \(info.utf8.count)\r\n\(info)\r\n"]
                }
                guard words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let isFirst = consumers.withLock { $0 } == 1
                let sent = isFirst ? [(1, 1), (2, 2), (4, 4)] : [(3, 1), (4, 2)]
                let sid = address.withLock { $0 }
                return sent.map { position, number in
                    "MSG s \(sid) $JS.ACK.s.c.1.\(position).\(number).1.\(4 - position) 1\r\nx\r\n"
                }
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        var read: [UInt64] = []
        while read.count < 4 {
            let next = Position((read.last ?? 0) + 1)
            let messages = try await driver.read("s", from: next, limit: 10, within: .seconds(20))
            try #require(!messages.isEmpty)
            read += messages.map(\.position.number)
        }
        #expect(read == [1, 2, 3, 4] && consumers.withLock { $0 } == 2)
        await driver.close()
        await server.stop()
    }
}
