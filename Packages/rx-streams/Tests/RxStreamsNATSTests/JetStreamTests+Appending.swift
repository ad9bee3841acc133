import RxStreams
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test(arguments: [
        (#"["s.*"]"#, BrokerError.unavailable("the stream does not respond")),
        (#"["t.*"]"#, BrokerError.refused("'s.a' is not a subject of stream s")),
    ])
    func appendUnansweredIsRefusedForForeignSubject(subjects: String, error: BrokerError) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject == "s.a"
                    ? [request.status("503")] : [request.answer(Self.stream(#""subjects":\#(subjects)"#))]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: error) { _ = try await driver.append([NewMessage("s.a", [1])], to: "s") }
        }
    }

    @Test func receiptHasPositionAndDuplicateFlag() async throws {
        try await with { _ in
            LittleServer.asked { request in
                let isFirst = request.subject == "s.a"
                return [request.answer(#"{"stream":"s","seq":\#(isFirst ? 7 : 8),"duplicate":\#(isFirst)}"#)]
            }
        } run: { (_, driver) async throws in
            let receipts = try await driver.append(
                [NewMessage("s.a", [1], id: "one"), NewMessage("s.b", [2])], to: "s")
            #expect(receipts == [Receipt(Position(7), isDuplicate: true), Receipt(Position(8))])
        }
    }

    @Test func appendNamesExpectedStream() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(#"{"stream":"s","seq":1}"#)]
            }
        } run: { (_, driver) async throws in
            let receipts = try await driver.append([NewMessage("a", [1])], to: "s")
            #expect(receipts == [Receipt(Position(1))])
        }
        #expect(asked.all.first?.headers.contains("Nats-Expected-Stream: s") == true)
    }

    @Test func positionZeroInAnswerIsUnreadable() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.answer(#"{"stream":"s","seq":0}"#)]
            }
        } run: { (_, driver) async throws in
            let unreadable = BrokerError.unavailable("the server's answer cannot be read")
            await #expect(throws: unreadable) { _ = try await driver.append([NewMessage("s.a", [1])], to: "s") }
            await #expect(throws: unreadable) { _ = try await driver.store([1], in: "c", expecting: nil) }
        }
    }

    @Test func appendBatchIsSentInPartsOfOutgoingLimit() async throws {
        let (asked, message) = (Seen<Request>(), NewMessage("s", [UInt8](repeating: 65, count: 400)))
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return []
            }
        } options: {
            $0.outgoingLimit = 1_000
        } run: { (server, driver) async throws in
            async let receipts = driver.append(Array(repeating: message, count: 5), to: "s")
            for count in [2, 4, 5] {
                try await asked.wait { $0.count >= count }
                // All requests have arrived before `roundTrip` returns.
                try await driver.client.roundTrip(within: .seconds(20))
                #expect(asked.all.count == count)
                for request in asked.all.suffix(count == 5 ? 1 : 2) {
                    try await server.say(request.answer(#"{"stream":"s","seq":\#(count)}"#))
                }
            }
            #expect(try await receipts.map(\.position.number) == [2, 2, 4, 4, 5])
        }
    }

    @Test func appendOfMessageOverOutgoingLimitIsSentAlone() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(#"{"stream":"s","seq":7}"#)] }
        } options: {
            $0.outgoingLimit = 10
        } run: { (_, driver) async throws in
            let messages = Array(repeating: NewMessage("s", [1]), count: 2)
            #expect(try await driver.append(messages, to: "s").count == 2)
        }
    }

    @Test(arguments: [(10_054, "message size exceeds maximum allowed"), (10_077, "maximum messages exceeded")])
    func appendErrorIsReported(code: Int, why: String) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject == "s.a"
                    ? [request.error(400, code, why)]
                    : [request.answer(Self.stream(#""subjects":["s.*"]"#))]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused(why)) {
                _ = try await driver.append([NewMessage("s.a", [1])], to: "s")
            }
        }
    }

    @Test(arguments: [(409, 10_158, "duplicate message id is in process"), (429, 10_167, "too many requests")])
    func appendTemporaryErrorMayBeRetried(code: Int, number: Int, why: String) async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                return [
                    asked.all.count == 1
                        ? request.error(code, number, why) : request.answer(#"{"stream":"s","seq":7}"#)
                ]
            }
        } run: { (_, driver) async throws in
            let message = NewMessage("s.a", [1], id: "one")
            await #expect(throws: BrokerError.unavailable(why)) { _ = try await driver.append([message], to: "s") }
            #expect(try await driver.append([message], to: "s") == [Receipt(Position(7))])
        }
    }

    @Test(arguments: [" a", "a ", "\ta", "a\t", "a\nb", "a\rb", "a\0b", " "])
    func appendWithUnsendableIDIsRefused(id: String) async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let messages = ["good one", id].map { NewMessage("s.a", [1], id: $0) }
            let error = await #expect(throws: BrokerError.self) { _ = try await driver.append(messages, to: "s") }
            let name = id.debugDescription
            #expect(error?.description.contains("\(name) is not a valid id") == true, "\(String(describing: error))")
            #expect(!server.lines.contains { $0.hasPrefix("HPUB") })
        }
    }

    @Test func appendWithTooLargeHeadersSendsNothing() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let messages = [1, 65_600].map { NewMessage("s.a", [1], id: String(repeating: "x", count: $0)) }
            let why = "an id and headers of 65652 bytes are too large: the limit is 65535"
            await #expect(throws: BrokerError.refused(why)) { _ = try await driver.append(messages, to: "s") }
            #expect(!server.lines.contains { $0.hasPrefix("HPUB") })
        }
    }
}
