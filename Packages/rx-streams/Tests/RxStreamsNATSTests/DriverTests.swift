import Foundation
import NIOCore
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsNATS

@Suite(.enabled(if: !BrokerProcess.servers.isEmpty, BrokerProcess.isMissing))
struct DriverTests {
    static let servers = BrokerProcess.servers
    private static let group = GroupSettings("g", deadline: .seconds(600))
    private static let missing = BrokerError.missing("group g of stream s")

    private func message(_ number: Int, id: String? = nil) -> NewMessage {
        NewMessage("s.\(number % 3)", Array("\(number)".utf8), id: id)
    }

    private func numbers(_ messages: [PulledMessage]) -> [Int] {
        messages.compactMap { Int(String(decoding: $0.stored.message.payload, as: UTF8.self)) }
    }

    private func with(
        _ binary: String, more: String = "", _ change: (inout NATSClient.Options) -> Void = { _ in },
        _ body: (BrokerProcess, NATSDriver) async throws -> Void
    ) async throws {
        let server = try await BrokerProcess(binary, more: more)
        let driver = try NATSDriver.testing(server, change)
        do {
            try await driver.client.untilReady(within: .seconds(60))
            try await driver.ensure(StreamSettings("s", subjects: ["s.>"]))
            try await body(server, driver)
        } catch {
            await driver.close()
            throw error
        }
        await driver.close()
    }

    @Test(arguments: servers) func appendedMessagesAreStoredAndDelivered(binary: String) async throws {
        try await with(binary) { _, driver in
            let sent = NewMessage(
                "s.a", [0, 13, 10, 255], id: "one", headers: ["Colour": " blue: green ", "Empty": ""])
            let first = try await driver.append([sent, NewMessage("s.b", [])], to: "s")
            #expect(first == [Receipt(Position(1)), Receipt(Position(2))])
            let again = try await driver.append([sent], to: "s")
            #expect(again == [Receipt(Position(1), isDuplicate: true)])
            #expect(try await driver.summary(of: "s") == StreamSummary(first: Position(1), last: Position(2), count: 2))
            let member = try await driver.join(GroupSettings("g"), of: "s")
            let pulled = try await NATSDriver.pull(2, from: member)
            #expect(pulled.map(\.stored.message) == [sent, NewMessage("s.b", [])])
            #expect(pulled.map(\.attempt) == [1, 1] && pulled.map(\.stored.position.number) == [1, 2])
            #expect(abs(pulled[0].stored.time.timeIntervalSinceNow) < 60)
            #expect(try await driver.summary(of: "g", in: "s") == GroupSummary(waiting: 0, unsettled: 2))
            try await member.settle(pulled.map { Verdict($0.token, .done) })
            try await eventually {
                try await driver.summary(of: "g", in: "s") == GroupSummary(waiting: 0, unsettled: 0)
            }
            await member.leave()
        }
    }

    /// An empty message with a status header looks like a status from the server.
    @Test(arguments: servers)
    func emptyMessagesWithStatusPublishedReachGroupsAndReplays(binary: String) async throws {
        try await with(binary) { server, driver in
            let statuses = ["100 Idle", "404 No Messages", "409 Consumer Deleted", "503"]
            let commands = statuses.map { status in
                let block = "NATS/1.0 \(status)\r\n\r\n"
                return "HPUB s.x \(block.utf8.count) \(block.utf8.count)\r\n\(block)\r\n"
            }
            try await RawClient.say(commands + ["PUB s.x 1\r\n7\r\n"], to: server)
            try await eventually { try await driver.summary(of: "s").count == 5 }
            let member = try await driver.join(Self.group, of: "s")
            let pulled = try await NATSDriver.pull(5, from: member)
            #expect(pulled.map(\.stored.position.number) == [1, 2, 3, 4, 5])
            #expect(pulled.map(\.attempt) == [1, 1, 1, 1, 1])
            let read = try await driver.read("s", from: Position(1), limit: 5, within: .seconds(20))
            #expect(read.map(\.position.number) == [1, 2, 3, 4, 5])
            await member.leave()
        }
    }

    @Test(arguments: servers) func pullNeverHasMoreThanItRequests(binary: String) async throws {
        try await with(binary) { _, driver in
            _ = try await driver.append((0..<20).map { message($0) }, to: "s")
            let member = try await driver.join(GroupSettings("g"), of: "s")
            let first = try await NATSDriver.pull(3, from: member)
            #expect(numbers(first) == [0, 1, 2])
            #expect(try await driver.summary(of: "g", in: "s").unsettled == 3)
            let filtered = try await driver.join(GroupSettings("f", filter: "s.9"), of: "s")
            #expect(try await filtered.pull(upTo: 5, within: .seconds(0)).isEmpty)
            #expect(try await filtered.pull(upTo: 5, within: .milliseconds(200)).isEmpty)
            // The first pull requests four messages and returns one. The other three arrive before the second pull.
            let other = try await driver.join(GroupSettings("o", filter: "s.8"), of: "s")
            let waiting = Task { try await other.pull(upTo: 4, within: .seconds(20)) }
            try await Task.sleep(nanoseconds: 100_000_000)
            _ = try await driver.append([NewMessage("s.8", [1])], to: "s")
            #expect(try await waiting.value.count == 1)
            _ = try await driver.append((0..<10).map { _ in NewMessage("s.8", [2]) }, to: "s")
            try await eventually { try await driver.summary(of: "o", in: "s").unsettled == 4 }
            #expect(try await other.pull(upTo: 2, within: .seconds(0)).count == 2)
            #expect(try await driver.summary(of: "o", in: "s").unsettled <= 4)
        }
    }

    @Test(arguments: servers) func streamLargerThanServerStorageIsRefused(binary: String) async throws {
        try await with(binary) { _, driver in
            let error = await #expect(throws: BrokerError.self) {
                try await driver.ensure(StreamSettings("large", keeping: Retention(bytes: 100 << 40)))
            }
            if case .refused = error {} else { Issue.record("it is \(String(describing: error))") }
        }
    }

    /// If NATS trimmed the id, the message might be dropped as a duplicate.
    @Test(arguments: servers) func idIsStoredUnchangedOrRefused(binary: String) async throws {
        try await with(binary) { _, driver in
            let ids = [
                "a", "a b", "A", "Nats-Msg-Id: a", "caf\u{e9}", "cafe\u{301}", "a:", "\u{a0}a", "a\u{a0}", "\u{3000}a",
                "\u{85}a", "\u{b}a", "a\u{c}",
            ]
            let receipts = try await driver.append(ids.map { message(1, id: $0) }, to: "s")
            #expect(receipts.map(\.isDuplicate) == ids.map { _ in false })
            let read = try await driver.read("s", from: Position(1), limit: 20, within: .seconds(5))
            #expect(read.map { Array(($0.message.id ?? "").utf8) } == ids.map { Array($0.utf8) })
        }
    }

    @Test(arguments: servers) func messageIsRedeliveredAfterDeadlineAndAfterRetry(binary: String) async throws {
        try await with(binary) { _, driver in
            _ = try await driver.append((0..<2).map { message($0) }, to: "s")
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(3)), of: "s")
            let first = try await NATSDriver.pull(2, from: member)
            let begun = NIODeadline.now()
            try await member.settle([Verdict(first[0].token, .again(after: .milliseconds(300)))])
            let second = try await NATSDriver.pull(1, from: member)
            #expect(numbers(second) == [0] && second[0].attempt == 2)
            #expect(NIODeadline.now() - begun >= .milliseconds(290))
            try await member.settle([Verdict(second[0].token, .givenUp)])
            let third = try await NATSDriver.pull(1, from: member)
            #expect(numbers(third) == [1] && third[0].attempt == 2)
            #expect(NIODeadline.now() - begun >= .milliseconds(600))
            for _ in 0..<6 {
                try await Task.sleep(nanoseconds: 900_000_000)
                try await member.settle([Verdict(third[0].token, .extended)])
            }
            #expect(try await member.pull(upTo: 1, within: .seconds(0)).isEmpty)
            try await member.settle([Verdict(third[0].token, .done)])
            try await eventually { try await driver.summary(of: "g", in: "s").lag == 0 }
        }
    }

    @Test(arguments: servers) func leaveReturnsMessagesInTransit(binary: String) async throws {
        try await with(binary) { _, driver in
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(600)), of: "s")
            let waiting = Task { try await member.pull(upTo: 10, within: .seconds(20)) }
            try await Task.sleep(nanoseconds: 100_000_000)
            _ = try await driver.append((0..<5).map { message($0) }, to: "s")
            let got = try await waiting.value
            try await eventually { try await driver.summary(of: "g", in: "s").unsettled == 5 }
            await member.leave()
            let other = try await driver.join(GroupSettings("g", deadline: .seconds(600)), of: "s")
            let rest = try await NATSDriver.pull(5 - got.count, from: other)
            #expect(Set(numbers(got) + numbers(rest)) == Set(0..<5))
            await driver.close()
        }
    }

    /// `leave()` sends `PullInbox.probe`. The server does not always answer it with the message, so the test makes
    /// several attempts.
    @Test(arguments: servers) func leaveReturnsMessageReceivedInsteadOfAnswer(binary: String) async throws {
        try await with(binary) { _, driver in
            for number in 0..<10 {
                let member = try await driver.join(Self.group, of: "s")
                let waiting = Task { try await member.pull(upTo: 1, within: .seconds(60)) }
                try await eventually {
                    let info: Waiting = try await driver.ask("CONSUMER.INFO.s.g", missing: "group g")
                    return info.num_waiting == 1
                }
                try driver.client.say([OutgoingMessage(message(number))])
                await member.leave()
                let got = try await waiting.value
                let other = try await driver.join(Self.group, of: "s")
                let pulled = got + (try await NATSDriver.pull(1 - got.count, from: other))
                #expect(numbers(pulled) == [number])
                try await other.settle(pulled.map { Verdict($0.token, .done) })
                await other.leave()
            }
        }
    }

    private struct Waiting: Decodable {
        var num_waiting: Int
    }

    @Test(arguments: servers) func messagesReturnedAtCloseAreRedeliveredInOrder(binary: String) async throws {
        try await with(binary) { server, driver in
            _ = try await driver.append((0..<12).map { message($0) }, to: "s")
            _ = try await NATSDriver.pull(12, from: try await driver.join(Self.group, of: "s"))
            await driver.close()
            let other = try NATSDriver.testing(server)
            let pulled = try await NATSDriver.pull(12, from: try await other.join(Self.group, of: "s"))
            #expect(numbers(pulled) == Array(0..<12))
            await other.close()
        }
    }

    /// Returns a member that has noticed the removal of its group, and a message that the member pulled before.
    private func stale(_ driver: NATSDriver) async throws -> (any GroupMember, PulledMessage) {
        _ = try await driver.append([message(1)], to: "s")
        let member = try await driver.join(Self.group, of: "s")
        let pulled = try await NATSDriver.pull(1, from: member)
        try await driver.remove(group: "g", of: "s")
        await #expect(throws: Self.missing) { _ = try await member.pull(upTo: 1, within: .seconds(20)) }
        return (member, try #require(pulled.first))
    }

    /// Both groups give the message the same token.
    @Test(arguments: servers) func memberOfRemovedGroupSettlesNothingOfItsSuccessor(binary: String) async throws {
        try await with(binary, { $0.heartbeat = .milliseconds(200) }) { _, driver in
            let (member, stale) = try await stale(driver)
            let pulled = try await NATSDriver.pull(1, from: try await driver.join(Self.group, of: "s"))
            #expect(pulled.map(\.token) == [stale.token])
            await #expect(throws: Self.missing) { try await member.settle([Verdict(stale.token, .done)]) }
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(try await driver.summary(of: "g", in: "s").unsettled == 1)
        }
    }

    @Test(arguments: servers) func memberOfRemovedGroupReturnsNothingAtClose(binary: String) async throws {
        try await with(binary, { $0.heartbeat = .milliseconds(200) }) { _, driver in
            let (member, stale) = try await stale(driver)
            await #expect(throws: Self.missing) {
                try await member.settle([Verdict(stale.token, .again(after: .nanoseconds(0)))])
            }
            #expect(driver.unsettled.takeAll().isEmpty)
        }
    }

    @Test(arguments: servers) func deadLetterOfMessageWithStreamHeadersKeepsPayload(
        binary: String
    ) async throws {
        try await with(binary) { server, driver in
            let broker = try NATSBroker(servers: [server.url])
            let orders = broker.stream("s", of: [UInt8].self, codec: .bytes, subjects: ["s.>"])
            let fields = [("Nats-Msg-Id", "x\ry"), ("Nats-Expected-Last-Sequence", "0"), ("A", "x\ry"), ("B", "blue")]
            let message = OutgoingMessage(
                subject: "s.a", fields: fields.map { NATSHeaders.Field(name: $0, value: $1) }, payload: [7])
            _ = try await driver.client.request([message])
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(5))
            #expect(read.first?.message.headers["Nats-Expected-Last-Sequence"] == "0")
            // `s-dead` contains a message, so it would refuse a dead letter with this header.
            try await driver.ensure(StreamSettings("s-dead"))
            _ = try await driver.append([NewMessage("s-dead", [1])], to: "s-dead")
            let work = orders.work(as: "g", attempts: 1) { _ in throw BrokerError.refused("no") }.subscribe()
            var letters: [DeadLetter] = []
            try await eventually {
                for try await letter in orders.deadLetters(live: false).values(buffering: .pausing(8)) {
                    letters.append(letter)
                }
                return !letters.isEmpty
            }
            #expect(letters.map(\.isCut) == [false] && letters.map(\.payload) == [[7]])
            #expect(letters.map(\.id) == ["x y"])
            work.dispose()
            await broker.close()
        }
    }

    /// The target contains a message, so it would refuse a copy with `Nats-Expected-Last-Sequence: 0`.
    @Test(arguments: servers) func relayOfMessageWithStreamHeadersCopiesMessage(binary: String) async throws {
        try await with(binary) { server, driver in
            let broker = try NATSBroker(servers: [server.url])
            let fields = [("Nats-Expected-Last-Sequence", "0"), ("Color", "blue")]
            let message = OutgoingMessage(
                subject: "s.a", fields: fields.map { NATSHeaders.Field(name: $0, value: $1) }, payload: [7])
            _ = try await driver.client.request([message])
            let source = broker.stream("s", of: [UInt8].self, codec: .bytes, subjects: ["s.>"])
            let target = broker.stream("copies", of: [UInt8].self, codec: .bytes)
            try await target.ensure()
            _ = try await driver.append([NewMessage("copies", [1])], to: "copies")
            #expect(try await source.relay(to: target, as: "r").take(1).toArray().value == [Position(2)])
            let read = try await driver.read("copies", from: Position(2), limit: 1, within: .seconds(5))
            #expect(read.map(\.message.headers) == [["Color": "blue"]])
            await broker.close()
        }
    }

    @Test(arguments: servers) func messageTooLargeForDeadLetterIsGivenUp(binary: String) async throws {
        try await with(binary, more: "max_payload: 2048") { server, driver in
            let broker = try NATSBroker(servers: [server.url])
            let orders = broker.stream("large", of: [UInt8].self, codec: .bytes)
            try await driver.ensure(StreamSettings("large"))
            let bytes = [UInt8](repeating: 7, count: 2_000)
            _ = try await driver.append([NewMessage("large", bytes)], to: "large")
            let why = String(repeating: "x", count: 5_000)
            let work = orders.work(as: "g", attempts: 1) { _ in throw BrokerError.refused(why) }.subscribe()
            try await eventually { (try? await orders.summary(of: "g").lag) == 0 }
            var letters: [DeadLetter] = []
            for try await letter in orders.deadLetters(live: false).values(buffering: .pausing(8)) {
                letters.append(letter)
            }
            #expect(letters.map(\.isCut) == [true] && letters.map(\.payload) == [[]])
            #expect(letters.map(\.reason.count) == [100])
            let kept = try await driver.read("large", from: letters[0].position, limit: 1, within: .seconds(5))
            #expect(kept.map(\.message.payload) == [bytes])
            work.dispose()
            await broker.close()
        }
    }

    @Test(arguments: servers) func killedServerLosesNothing(binary: String) async throws {
        try await with(binary, more: "") { server, driver in
            let seen = Seen<BrokerStatus>()
            let subscription = driver.status.subscribe(onNext: { seen.add($0) })
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(2)), of: "s")
            _ = try await driver.append((0..<5).map { message($0, id: "\($0)") }, to: "s")
            let first = try await NATSDriver.pull(5, from: member)
            try await member.settle(first.prefix(2).map { Verdict($0.token, .done) })
            try await eventually { try await driver.summary(of: "g", in: "s").unsettled == 3 }
            #expect(try await driver.read("s", from: Position(1), limit: 3, within: .seconds(5)).count == 3)
            try await server.kill9()
            try await seen.wait { if case .connecting(_, _?) = $0.last { true } else { false } }
            try server.start()
            let receipts = try await driver.insist((5..<8).map { message($0, id: "\($0)") }, to: "s")
            #expect(receipts.map(\.position.number) == [6, 7, 8])
            #expect(
                try await driver.insist([message(0, id: "0")], to: "s") == [Receipt(Position(1), isDuplicate: true)])
            // The server may have been killed before it stored the verdict.
            var rest = Set<Int>()
            while !rest.isSuperset(of: 2..<8) {
                let pulled = try await NATSDriver.pull(1, from: member, seconds: 30)
                if pulled.isEmpty { break }
                try await member.settle(pulled.map { Verdict($0.token, .done) })
                rest.formUnion(numbers(pulled))
            }
            #expect(rest.isSuperset(of: 2..<8))
            var read: [UInt64] = []
            while read.count < 5 {
                let next = Position(4 + UInt64(read.count))
                let part = try await driver.read("s", from: next, limit: 100, within: .seconds(5))
                if part.isEmpty { break }
                read += part.map(\.position.number)
            }
            #expect(read == [4, 5, 6, 7, 8])
            subscription.dispose()
        }
    }

    @Test(arguments: servers) func stoppedServerIsDetected(binary: String) async throws {
        try await with(binary, { ($0.pingInterval, $0.requestTimeout) = (.seconds(2), .seconds(5)) }) {
            server, driver in
            let seen = Seen<BrokerStatus>()
            let subscription = driver.status.subscribe(onNext: { seen.add($0) })
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(600)), of: "s")
            _ = try await driver.append((0..<3).map { message($0) }, to: "s")
            try await server.standStill()
            await #expect(throws: BrokerError.self) { _ = try await driver.append([message(3)], to: "s") }
            try await seen.wait { all in
                all.contains { if case .connecting(_, let why?) = $0 { why.contains("PINGs") } else { false } }
            }
            server.signal(SIGCONT)
            #expect(Set(numbers(try await NATSDriver.pull(3, from: member, seconds: 40))).isSuperset(of: [0]))
            subscription.dispose()
        }
    }

    @Test(arguments: servers) func twoMissedHeartbeatsRepeatPull(binary: String) async throws {
        // Without PINGs, only the pull's heartbeats detect the stop.
        try await with(binary, { ($0.pingInterval, $0.heartbeat) = (.seconds(600), .milliseconds(200)) }) {
            server, driver in
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(600)), of: "s")
            let waiting = Task { try await NATSDriver.pull(2, from: member, seconds: 40) }
            try await Task.sleep(nanoseconds: 300_000_000)
            try await server.standStill()
            try await Task.sleep(nanoseconds: 1_200_000_000)
            server.signal(SIGCONT)
            _ = try await driver.insist([message(0), message(1)], to: "s")
            #expect(Set(numbers(try await waiting.value)) == [0, 1])
            #expect(try await driver.summary(of: "g", in: "s").unsettled == 2)
        }
    }

    @Test(arguments: servers) func readsInOrderReuseConsumer(binary: String) async throws {
        try await with(binary) { _, driver in
            _ = try await driver.append((0..<100).map { message($0) }, to: "s")
            var position = Position(1)
            var read: [UInt64] = []
            while read.count < 100 {
                let part = try await driver.read("s", from: position, limit: 7, within: .seconds(5))
                #expect(part.count <= 7 && !part.isEmpty)
                read += part.map(\.position.number)
                position = part.last?.position.next ?? position
            }
            #expect(read == Array(1...100))
            let info: Consumers = try await driver.ask("STREAM.INFO.s", missing: "stream s")
            #expect(info.state.consumer_count == 1)
            #expect(try await driver.read("s", from: position, limit: 7, within: .seconds(0)).isEmpty)
            let waiting = Task { [position] in
                try await driver.read("s", from: position, limit: 7, within: .seconds(20))
            }
            _ = try await driver.append([message(100)], to: "s")
            #expect(try await waiting.value.map(\.position.number) == [101])
            // `locate` may find an earlier message with the same time.
            let some = try await driver.read("s", from: Position(50), limit: 1, within: .seconds(5))
            #expect(try await driver.locate(.time(some[0].time), in: "s") <= Position(50))
            #expect(try await driver.locate(.time(Date(timeIntervalSinceNow: 60)), in: "s") == Position(102))
            #expect(try await driver.locate(.end, in: "s") == Position(102))
            #expect(try await driver.locate(.position(Position(500)), in: "s") == Position(102))
        }
    }

    private struct Consumers: Decodable, Sendable {
        struct State: Decodable, Sendable { var consumer_count: Int }
        var state: State
    }

    @Test(arguments: servers) func missingAndRefusedAreReported(binary: String) async throws {
        try await with(binary) { _, driver in
            await #expect(throws: BrokerError.missing("stream none")) { _ = try await driver.summary(of: "none") }
            await #expect(throws: BrokerError.missing("stream none")) {
                _ = try await driver.append([message(0)], to: "none")
            }
            await #expect(throws: BrokerError.self) { _ = try await driver.append([NewMessage("other", [])], to: "s") }
            await #expect(throws: BrokerError.missing("stream none")) {
                _ = try await driver.read("none", from: Position(1), limit: 1, within: .seconds(0))
            }
            await #expect(throws: BrokerError.missing("stream none")) {
                _ = try await driver.join(GroupSettings("g"), of: "none")
            }
            await #expect(throws: BrokerError.self) { try await driver.ensure(StreamSettings("t", subjects: ["s.a"])) }
            await #expect(throws: BrokerError.self) { try await driver.ensure(StreamSettings("t", replicas: 3)) }
            try await driver.remove(group: "none", of: "s")
            try await driver.remove(stream: "none")
            try await driver.ensure(StreamSettings("u", subjects: ["u.>"]))
            await #expect(throws: BrokerError.refused("'u.1' is not a subject of stream s")) {
                _ = try await driver.append([NewMessage("u.1", [])], to: "s")
            }
            #expect(try await driver.summary(of: "u").count == 0)
            try await driver.ensure(StreamSettings("u", subjects: ["u.>", "v"], keeping: .last(3)))
            _ = try await driver.append((0..<5).map { _ in NewMessage("v", []) }, to: "u")
            #expect(try await driver.summary(of: "u") == StreamSummary(first: Position(3), last: Position(5), count: 3))
            let member = try await driver.join(GroupSettings("g"), of: "s")
            try await driver.remove(group: "g", of: "s")
            await #expect(throws: BrokerError.missing("group g of stream s")) {
                for _ in 0..<100 { _ = try await member.pull(upTo: 1, within: .seconds(2)) }
            }
        }
    }

    @Test(arguments: servers, [RxTimeInterval.seconds(0), .seconds(30)])
    func messageLargerThanPullLimitIsDelivered(binary: String, span: RxTimeInterval) async throws {
        try await with(binary, more: "max_payload: 8MB") { _, driver in
            let payload = [UInt8](repeating: 120, count: PullInbox.most / 3)
            let larger = payload + payload + payload + payload
            let large = (0..<10).map { NewMessage("s.\($0)", $0 == 5 ? larger : payload) }
            _ = try await driver.append(large, to: "s")
            var read: [UInt64] = []
            while read.count < 10 {
                let next = Position((read.last ?? 0) + 1)
                let messages = try await driver.read("s", from: next, limit: 256, within: span)
                try #require(!messages.isEmpty)
                read += messages.map(\.position.number)
            }
            #expect(read == Array(1...10))
            let member = try await driver.join(GroupSettings("g"), of: "s")
            let pulled = try await NATSDriver.pull(10, from: member)
            #expect(pulled.map(\.stored.position.number) == Array(1...10) && pulled.allSatisfy { $0.attempt == 1 })
            await member.leave()
        }
    }

    @Test(arguments: servers) func pullOfDeletedStreamThrowsMissingSoon(binary: String) async throws {
        try await with(binary) { _, driver in
            for run in 0..<4 {
                try await driver.ensure(StreamSettings("t"))
                let member = try await driver.join(Self.group, of: "t")
                let ends = Seen<String>()
                if run % 2 == 0 { try await driver.remove(stream: "t") }
                let pulling = Task {
                    do {
                        while true { _ = try await member.pull(upTo: 1, within: .seconds(30)) }
                    } catch BrokerError.missing {
                        ends.add("missing")
                    } catch {
                        do { _ = try await member.pull(upTo: 1, within: .seconds(30)) } catch { ends.add("\(error)") }
                    }
                }
                if run % 2 == 1 { try await driver.remove(stream: "t") }
                // Missed heartbeats would show the removal only after five seconds.
                try await ends.wait(4) { !$0.isEmpty }
                pulling.cancel()
                await pulling.value
                await member.leave()
            }
        }
    }

    @Test(arguments: servers) func cellHoldsLargestMessageOfServer(binary: String) async throws {
        try await with(binary) { _, driver in
            let value = [UInt8](repeating: 120, count: 1_000_000)
            let revision = try await driver.store(value, in: "large", expecting: 0)
            #expect(try await driver.load("large") == CellValue(value, revision: revision))
        }
    }

    /// `>` includes the server's own subjects, and no server accepts seven replicas.
    @Test(arguments: servers) func streamNoServerCanHaveIsRefused(binary: String) async throws {
        try await with(binary) { _, driver in
            for stream in [StreamSettings("t", subjects: [">"]), StreamSettings("t", subjects: ["t"], replicas: 7)] {
                let error = await #expect(throws: BrokerError.self) { try await driver.ensure(stream) }
                #expect(error?.refusal != nil, "\(String(describing: error))")
            }
        }
    }

    @Test(arguments: servers) func permissionErrorsAreReported(binary: String) async throws {
        let more = """
            authorization { users: [
              { user: me, password: secret, permissions: { publish: ["open.>"], subscribe: ["open.>", "_INBOX.>"] } }
            ] }
            """
        let server = try await BrokerProcess(binary, more: more)
        let driver = try NATSDriver.testing(server) { $0.authentication = .user("me", password: "secret") }
        try await driver.client.untilReady(within: .seconds(60))
        let ends = Seen<String>()
        let listening = driver.messages(on: "secret.x").subscribe(onError: { ends.add("\($0)") })
        let error = await #expect(throws: BrokerError.self) { try await driver.ensure(StreamSettings("s")) }
        #expect(error?.refusal?.contains("$JS.API.STREAM.INFO.s") == true, "\(String(describing: error))")
        try await ends.wait { $0.first?.contains("secret.x") == true }
        listening.dispose()
        await driver.close()
    }

    @Test(arguments: servers) func acknowledgementsForbiddenWorkFailsWithRefused(binary: String) async throws {
        let more = """
            authorization { users: [
              { user: me, password: secret, permissions: { publish: { allow: ">", deny: "$JS.ACK.>" } } }
            ] }
            """
        let server = try await BrokerProcess(binary, more: more)
        let like = try NATSClient.testing([server.url]) { $0.authentication = .user("me", password: "secret") }
        let broker = NATSBroker(like.options, on: like.loop, logger: like.logger)
        let client = try #require(broker.driver as? NATSDriver).client
        try await client.untilReady(within: .seconds(60))
        let numbers = broker.stream("s", of: Int.self)
        try await numbers.ensure()
        _ = try await broker.driver.append((1...20).map { NewMessage("s", Array("\($0)".utf8)) }, to: "s")
        let (handled, ends) = (Seen<Int>(), Seen<String>())
        let work = numbers.work(as: "g", concurrency: 2, attempts: 4, deadline: .seconds(2)) { handled.add($0) }
            .subscribe(onError: { ends.add("\($0)") })
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all[0].contains("refused") && ends.all[0].contains("$JS.ACK.s.g."), "\(ends.all)")
        #expect(Set(handled.all).count == handled.all.count, "handled twice: \(handled.all)")
        let dead = try await broker.stream("s-dead", of: Int.self).summary()
        #expect(dead.count == 0)
        work.dispose()
        await broker.close()
    }

    @Test(arguments: servers) func liveMessagesAndCellsWork(binary: String) async throws {
        try await with(binary) { server, driver in
            let heard = Seen<String>()
            let listening = driver.messages(on: "live.*").subscribe(onNext: { heard.add($0.subject) })
            try await driver.send(NewMessage("live.a", [1]))
            try await heard.wait { $0 == ["live.a"] }
            #expect(try await driver.load("flag") == nil)
            let values = Seen<CellValue>()
            let watching = driver.values(of: "flag").subscribe(onNext: { values.add($0) })
            let one = try await driver.store([1], in: "flag", expecting: 0)
            await #expect(throws: BrokerError.conflict) { _ = try await driver.store([2], in: "flag", expecting: 0) }
            let two = try await driver.store([2], in: "flag", expecting: one)
            #expect(two > one)
            #expect(try await driver.load("flag") == CellValue([2], revision: two))
            try await values.wait { $0.last == CellValue([2], revision: two) }
            try await server.kill9()
            try server.start()
            var three: UInt64?
            try await eventually(30) {
                do { three = try await driver.store([3], in: "flag", expecting: nil) } catch BrokerError.unavailable {}
                return three != nil
            }
            try await values.wait(40) { $0.last?.payload == [3] }
            #expect(values.all.map(\.revision) == values.all.map(\.revision).sorted())
            try await driver.send(NewMessage("live.b", [1]))
            try await heard.wait { $0 == ["live.a", "live.b"] }
            listening.dispose()
            watching.dispose()
        }
    }

    // Runs on one server only, because the hook is global.
    @Test(arguments: servers.prefix(1)) func slowListenerDropsOldestMessages(binary: String) async throws {
        try await with(binary) { _, driver in
            let dropped = Seen<Int>()
            let (last, held, hold) = (Seen<[UInt8]>(), Seen<[UInt8]>(), DispatchSemaphore(value: 0))
            let listening = driver.messages(on: "flood").subscribe(onNext: {
                if last.all.isEmpty {
                    held.add($0.payload)
                    hold.wait()
                }
                last.add($0.payload)
            })
            Hooks.droppedElementHandler = { boundary, _, count in dropped.add(count) }
            for number in 0..<12_000 {
                try await driver.send(NewMessage("flood", [UInt8(number >> 8), UInt8(number & 255)]))
                // The listener must dequeue the first message before the other messages fill the queue.
                if number == 0 { try await held.wait { !$0.isEmpty } }
            }
            try await dropped.wait { $0.contains(12_000 - 1 - liveBound) }
            hold.signal()
            try await last.wait { $0.last == [UInt8(11_999 >> 8), UInt8(11_999 & 255)] }
            #expect(last.all.count == liveBound + 1)
            Hooks.droppedElementHandler = nil
            listening.dispose()
        }
    }

    @Test(arguments: servers.prefix(1))
    func largeMessagesForSlowListenerKeepAtMostTheirBytes(binary: String) async throws {
        try await with(binary) { _, driver in
            let (held, heard, hold) = (Seen<Int>(), Seen<Int>(), DispatchSemaphore(value: 0))
            let listening = driver.messages(on: "large.*").subscribe(onNext: { message in
                let number = Int(message.subject.dropFirst(6)) ?? -1
                if number == 0 {
                    held.add(number)
                    hold.wait()
                }
                heard.add(number)
            })
            let payload = [UInt8](repeating: 120, count: 1_000_000)
            let count = 100
            for number in 0..<count {
                try await driver.send(NewMessage("large.\(number)", payload))
                if number == 0 { try await held.wait { !$0.isEmpty } }
            }
            // The PONG arrives after all messages.
            try await driver.client.roundTrip(within: .seconds(60))
            hold.signal()
            try await heard.wait { $0.last == count - 1 }
            let most = liveBytes / payload.count
            #expect(heard.all == [0] + Array((count - most)..<count))
            listening.dispose()
        }
    }

    @Test(arguments: servers) func wrongUserIsRefusedAndUserAndKeyAreAccepted(binary: String) async throws {
        let server = try await BrokerProcess(binary, more: "authorization { user: \"me\", password: \"secret\" }")
        let wrong = try NATSClient.testing([server.url]) { $0.connectTimeout = .seconds(5) }
        let (seen, subscription) = wrong.seenStatus()
        wrong.start()
        try await seen.wait { all in
            all.contains {
                if case .connecting(_, let why?) = $0 {
                    why.lowercased().contains("authorization violation")
                } else {
                    false
                }
            }
        }
        await wrong.close()
        subscription.dispose()
        let right = try NATSClient.testing([server.url]) {
            ($0.connectTimeout, $0.authentication) = (.seconds(5), .user("me", password: "secret"))
        }
        right.start()
        try await right.untilReady(within: .seconds(10))
        await right.close()
        // The first two bytes mark the seed of a user's key.
        let bytes: [UInt8] = [149, 0] + (0..<32).map { _ in UInt8.random(in: 0...255) }
        let sum = Base32.checksum(bytes[...])
        let key = try NATSKey(
            seed: Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]))
        let keyed = try await BrokerProcess(binary, more: "authorization { users: [ { nkey: \(key.publicKey) } ] }")
        let signing = try NATSClient.testing([keyed.url]) {
            ($0.connectTimeout, $0.authentication) = (.seconds(5), NATSAuthentication(kind: .key(key, jwt: nil)))
        }
        signing.start()
        try await signing.untilReady(within: .seconds(10))
        await signing.close()
    }
}
