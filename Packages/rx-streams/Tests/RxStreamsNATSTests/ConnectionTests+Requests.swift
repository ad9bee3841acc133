import NIOCore
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func requestsFailWhenConnectionIsLostAndWhenClientIsClosed() async throws {
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n"] : $0.hasPrefix("PUB break") ? nil : [] }
        }
        let client = try NATSClient.testing([server.url]) { $0.pingInterval = .seconds(60) }
        client.start()
        await #expect(throws: BrokerError.unavailable("the server closed the connection")) {
            _ = try await client.request([OutgoingMessage(subject: "break")])
        }
        try await client.untilReady()
        let waiting = Task { try await client.request([OutgoingMessage(subject: "wait")]) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB wait") } }
        await client.close()
        await #expect(throws: BrokerError.closed) { _ = try await waiting.value }
        await #expect(throws: BrokerError.closed) { try await client.send([OutgoingMessage(subject: "late")]) }
        await server.stop()
    }

    @Test func answersAreReturnedInRequestOrder() async throws {
        let requests = Mutex<[[String]]>([])
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                let all = requests.withLock { requests -> [[String]] in
                    requests.append(words)
                    return requests
                }
                guard all.count == 3 else { return [] }
                return all.reversed().map { "MSG \($0[2]) 1 1\r\n\($0[1])\r\n" }
            }
        }
        let client = try NATSClient.testing([server.url])
        client.start()
        let answers = try await client.request(
            ["a", "b", "c"].map { OutgoingMessage(subject: $0) }, within: .seconds(20))
        #expect(answers.map { String(decoding: $0.payload, as: UTF8.self) } == ["a", "b", "c"])
        await client.close()
        await server.stop()
    }

    @Test func requestCancelledEndsSoon() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) { $0.requestTimeout = .seconds(600) }
        client.start()
        let waiting = Task { try await client.request([OutgoingMessage(subject: "wait")]) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB wait") } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await client.close()
        await server.stop()
    }

    @Test func requestOfCancelledTaskEndsSoon() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let ends = Seen<String>()
        let waiting = Task {
            try? await Task.sleep(nanoseconds: 600_000_000_000)
            do {
                _ = try await client.request([OutgoingMessage(subject: "wait")])
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        waiting.cancel()
        try await ends.wait { $0 == ["CancellationError()"] }
        await client.close()
        await server.stop()
    }

    private static func silent(_ asked: Seen<LittleServer.Request>) -> LittleServer.Script {
        LittleServer.asked { request in
            asked.add(request)
            return []
        }
    }

    private func askingOne(_ client: NATSClient, _ asked: Seen<LittleServer.Request>, _ answers: Seen<String>)
        async throws -> LittleServer.Request
    {
        Task {
            do {
                let answer = try await client.request([OutgoingMessage(subject: "a")])[0]
                answers.add(String(decoding: answer.payload, as: UTF8.self))
            } catch {
                answers.add("\(error)")
            }
        }
        return try #require(try await asked.wait { $0.count == 1 }.first)
    }

    @Test func requestCancelledTakesNoAnswerFromAnother() async throws {
        let (asked, answers) = (Seen<LittleServer.Request>(), Seen<String>())
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let first = try await askingOne(client, asked, answers)
        let others = Task { try await client.request(["b", "c"].map { OutgoingMessage(subject: $0) }) }
        try await asked.wait { $0.count == 3 }
        others.cancel()
        await #expect(throws: CancellationError.self) { _ = try await others.value }
        try await server.say(first.answer("x"))
        try await answers.wait { $0 == ["x"] }
        await client.close()
        await server.stop()
    }

    @Test func requestFailsAfterItsOwnTimeout() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let ends = Seen<String>()
        Task {
            do {
                _ = try await client.request([OutgoingMessage(subject: "wait")], within: .milliseconds(200))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { $0 == ["the broker is unavailable: the server did not answer in time"] }
        await client.close()
        await server.stop()
    }

    @Test func requestUnansweredFails() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
            _ = try await client.request([OutgoingMessage(subject: "wait")], within: .milliseconds(300))
        }
        await client.close()
        await server.stop()
    }

    @Test func answerTimeoutRestartsWithEachAnswer() {
        let (begun, span) = (NIODeadline.now(), TimeAmount.seconds(10))
        let answers = Answers(first: 1, count: 2, span: span)
        #expect(!answers.isLate(at: .distantFuture))
        answers.begin()
        let made = NIODeadline.now()
        #expect(!answers.isLate(at: begun + span - .nanoseconds(1)) && answers.isLate(at: made + span))
        var later = made
        while later == made { later = .now() }
        answers.take(IncomingMessage(sid: 1, subject: "", reply: nil, headers: nil, payload: []), for: 1)
        let taken = NIODeadline.now()
        #expect(!answers.isLate(at: later + span - .nanoseconds(1)) && answers.isLate(at: taken + span))
    }

    @Test func emptyRequestListReturnsAtOnce() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let ends = Seen<Int>()
        Task { ends.add((try? await client.request([], within: .seconds(600)).count) ?? -1) }
        try await ends.wait { $0 == [0] }
        await client.close()
        await server.stop()
    }

    @Test func requestsHaveDistinctReplySubjects() async throws {
        let asked = Seen<LittleServer.Request>()
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        var total = 0
        for count in [3, 1, 1] {
            total += count
            let (messages, wanted) = (Array(repeating: OutgoingMessage(subject: "a"), count: count), total)
            Task { _ = try? await client.request(messages) }
            try await asked.wait { $0.count == wanted }
        }
        #expect(Set(asked.all.map(\.reply)).count == 5)
        await client.close()
        await server.stop()
    }

    @Test func requestTimedOutTakesNoAnswerFromAnother() async throws {
        let (asked, answers) = (Seen<LittleServer.Request>(), Seen<String>())
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let first = try await askingOne(client, asked, answers)
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
            _ = try await client.request(
                ["b", "c"].map { OutgoingMessage(subject: $0) }, within: .milliseconds(200))
        }
        try await server.say(first.answer("x"))
        try await answers.wait { $0 == ["x"] }
        await client.close()
        await server.stop()
    }
}
