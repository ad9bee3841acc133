import Foundation
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test func replayFromTimeUsesReaderThatLocatedIt() async throws {
        let consumers = Mutex(0)
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.STREAM.INFO.") {
                    return [request.answer(Self.stream(count: 9, first: 1, last: 9))]
                }
                guard request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") else {
                    return request.subject.contains(".NEXT.") ? [request.delivery(6, number: 1)] : []
                }
                consumers.withLock { $0 += 1 }
                return [request.answer(Self.consumer.replacing(#""stream_seq":0"#, with: #""stream_seq":5"#))]
            }
        } run: { (_, driver) async throws in
            let position = try await driver.locate(.time(Date()), in: "s")
            #expect(position == Position(6))
            let read = try await driver.read("s", from: position, limit: 1, within: .seconds(20))
            #expect(read.map(\.position.number) == [6])
        }
        #expect(consumers.withLock { $0 } == 1)
    }

    @Test func consumerStartIsAtLeastFirstPosition() {
        for (position, first) in [(7, 7), (1, 1), (0, 1)] as [(UInt64, UInt64)] {
            let found = ReplayStart.position(Position(position)).consumerFields["opt_start_seq"] as? UInt64
            #expect(found == first)
        }
    }

    @Test func locatedPositionIsWithinStream() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(Self.stream(count: 3, first: 5, last: 7))] }
        } run: { (_, driver) async throws in
            func located(_ start: ReplayStart) async throws -> UInt64 { try await driver.locate(start, in: "s").number }
            #expect(try await located(.position(Position(2))) == 5)
            #expect(try await located(.position(Position(6))) == 6)
            #expect(try await located(.position(Position(9))) == 8)
            #expect(try await located(.beginning) == 5)
            #expect(try await located(.end) == 8)
        }
    }

    @Test func readAndPullOfZeroMessagesAreRefused() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.refused("0 messages cannot be read")) {
                _ = try await driver.read("s", from: Position(1), limit: 0, within: .seconds(1))
            }
            await #expect(throws: BrokerError.refused("0 messages cannot be pulled")) {
                _ = try await member(driver).pull(upTo: 0, within: .seconds(1))
            }
            #expect(!server.lines.contains { $0.hasPrefix("PUB") })
        }
    }

    @Test func readFromSilentServerUsesNewConsumer() async throws {
        let consumers = Mutex(0)
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    consumers.withLock { $0 += 1 }
                    return [request.answer(Self.consumer)]
                }
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.consumer)] }
                return consumers.withLock { $0 } > 1 ? [request.delivery(1)] : []
            }
        } options: {
            $0.heartbeat = .milliseconds(100)
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(20))
            #expect(read.map(\.position.number) == [1])
        }
    }

    @Test func readAfterConnectionLossUsesNewConsumer() async throws {
        let known = Mutex<Set<String>>([])
        try await with { connection in
            LittleServer.asked { request in
                let words = request.subject.split(separator: ".").map(String.init)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    if connection > 0 { known.withLock { _ = $0.insert(words[5]) } }
                    return [request.answer(Self.consumer)]
                }
                if connection == 0 { return nil }
                let isNew = known.withLock { $0.contains(words.last ?? "") }
                return [isNew ? request.delivery(1) : request.status("404 No Messages")]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
            #expect(read.map(\.position.number) == [1])
        }
    }

    @Test func readReturnsReceivedMessagesBeforeReportingLoss() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.consumer)] }
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (server, driver) async throws in
            let reader = try await StreamReader.make(driver.client, "s", start: .position(Position(1)))
            func read() async throws -> [UInt64] {
                try await reader.read(upTo: 4, within: .seconds(20)).map(\.position.number)
            }
            #expect(try await read() == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            await server.drop()
            try await eventually { server.connections == 2 }
            try await driver.client.untilReady(within: .seconds(20))
            #expect(try await read() == [2])
            await #expect(throws: BrokerError.unavailable("the connection was lost")) { _ = try await read() }
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(pulls.all.count == 1)
        }
    }

    @Test func readBeyondEndOmitsEarlierMessages() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return [request.delivery(6, number: 1, left: 1), request.delivery(10, number: 2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(10), limit: 10, within: .seconds(20))
            #expect(read.map(\.position.number) == [10])
        }
    }

    @Test func readOfOnlyEarlierMessagesContinues() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [pulls.all.count == 1 ? request.delivery(6, number: 1) : request.delivery(10, number: 2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(10), limit: 1, within: .seconds(20))
            #expect(read.map(\.position.number) == [10])
        }
    }

    @Test func readAfterCancellationReusesReader() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return []
            }
        } run: { (server, driver) async throws in
            let reading = Task { try await driver.read("s", from: Position(1), limit: 1, within: .seconds(600)) }
            let pulls = try await asked.wait { $0.contains { $0.subject.contains(".NEXT.") } }
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            try await server.say(try #require(pulls.last).delivery(1))
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(20))
            #expect(read.map(\.position.number) == [1])
            #expect(asked.all.filter { $0.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1)
        }
    }

    /// The cancelled read leaves a pull pending.
    @Test func readWithoutWaitSendsNoWaitPull() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.body.contains("no_wait") ? [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let reading = Task { try await driver.read("s", from: Position(1), limit: 1, within: .seconds(600)) }
            try await asked.wait { $0.contains { $0.subject.contains(".NEXT.") } }
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
            #expect(read.map(\.position.number) == [1])
        }
    }

    @Test func pullWithoutWaitUnansweredThrowsUnavailable() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                return request.subject.contains(".INFO.") ? [request.answer(Self.consumer)] : []
            }
        } options: {
            $0.requestTimeout = .milliseconds(200)
        } run: { (_, driver) async throws in
            let inbox = PullInbox(driver.client, stream: "s", consumer: "g", deadline: nil)
            await #expect {
                _ = try await inbox.pull(upTo: 1, within: .zero)
            } throws: {
                if case .unavailable? = $0 as? BrokerError { true } else { false }
            }
            // Because nothing has arrived, the inbox asks whether the consumer exists.
            try await asked.wait { $0 == ["$JS.API.CONSUMER.MSG.NEXT.s.g", "$JS.API.CONSUMER.INFO.s.g"] }
        }
    }
}
