import Foundation
import NIOCore
import RxStreams
import Testing

@testable import RxStreamsNATS

@Suite struct ParserTests {
    private func frames(_ text: String, cut: Int? = nil) throws -> [ServerFrame] {
        var parser = NATSParser()
        var frames: [ServerFrame] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: cut ?? max(1, bytes.count)) {
            parser.add(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + (cut ?? bytes.count))]))
            while let frame = try parser.next() { frames.append(frame) }
        }
        return frames
    }

    private func fault(_ text: String) -> ProtocolFault? {
        do {
            _ = try frames(text)
            return nil
        } catch {
            return error as? ProtocolFault
        }
    }

    @Test func framesSplitAnywhereAreParsed() throws {
        let text =
            "INFO {\"server_id\":\"S\",\"version\":\"2.9.10\",\"headers\":true,\"max_payload\":99}\r\n+OK\r\nPING\r\npong\r\n"
            + "MSG a.b 7 5\r\nhello\r\nMSG a.b 8 back.1\t2\r\n\r\n\r\n-ERR 'Stale Connection'\r\n"
            + "HMSG a 9 r 25 28\r\nNATS/1.0 100 Idle\r\nA: b\r\nxyz\r\n"
        let whole = try frames(text)
        #expect(whole.count == 8)
        #expect(
            whole[4]
                == .message(
                    IncomingMessage(sid: 7, subject: "a.b", reply: nil, headers: nil, payload: Array("hello".utf8))))
        #expect(
            whole[5]
                == .message(IncomingMessage(sid: 8, subject: "a.b", reply: "back.1", headers: nil, payload: [13, 10])))
        #expect(whole[6] == .error("Stale Connection"))
        guard case .message(let last) = whole[7] else { throw CancellationError() }
        #expect(last.status == 100 && last.headers?.description == "Idle" && last.headers?["A"] == "b")
        #expect(last.payload == Array("xyz".utf8))
        for cut in 1...40 { #expect(try frames(text, cut: cut) == whole) }
    }

    /// Each read ends inside a message.
    @Test func parsedBytesAreReleased() throws {
        var parser = NATSParser()
        let message = "MSG a 7 1000\r\n" + String(repeating: "x", count: 1_000) + "\r\n"
        let (head, rest) = (String(message.prefix(10)), String(message.dropFirst(10)))
        parser.add(ByteBuffer(string: head))
        for _ in 0..<1_000 {
            #expect(try parser.next() == nil)
            parser.add(ByteBuffer(string: rest + head))
            guard case .message = try parser.next() else { throw CancellationError() }
        }
        let bytes = try #require(Mirror(reflecting: parser).descendant("bytes") as? ByteBuffer)
        #expect(bytes.storageCapacity < 16_384)
    }

    @Test func malformedFramesAreNamed() {
        #expect(fault("HTTP/1.1 400 Bad Request\r\n") == .unknownVerb("\"HTTP/1.1 400 Bad Request\""))
        #expect(fault("\r\n") == .unknownVerb("an empty line"))
        #expect(fault("PING\n") == .lineWithoutReturn)
        #expect(fault("MSG a 1\r\n") == .badArguments("\"MSG a 1\""))
        #expect(fault("MSG a x 1\r\n") == .badArguments("\"MSG a x 1\""))
        #expect(fault("MSG a 1 99999999999999999999\r\n") == .badArguments("\"MSG a 1 99999999999999999999\""))
        #expect(fault("MSG a 1 -1\r\n") == .badArguments("\"MSG a 1 -1\""))
        #expect(fault("HMSG a 1 5 4\r\n") == .badArguments("\"HMSG a 1 5 4\""))
        #expect(fault("MSG a 1 999999999\r\n") == .payloadTooLarge(999_999_999, limit: NATSParser.payloadLimit))
        #expect(fault("MSG a 1 1\r\nabc") == .payloadWithoutEnd)
        #expect(fault("INFO {\r\n") == .badInfo("\"INFO {\""))
        #expect(fault(String(repeating: "a", count: 66_000)) == .lineTooLong(limit: 65_536))
        #expect(fault("INFO " + String(repeating: "[", count: 66_000)) == .lineTooLong(limit: 65_536))
    }

    @Test func parserAfterFaultReturnsNothing() {
        var parser = NATSParser()
        parser.add(ByteBuffer(string: "what?\r\nPING\r\n"))
        #expect(throws: ProtocolFault.self) { try parser.next() }
        parser.add(ByteBuffer(string: "PING\r\n"))
        #expect(throws: ProtocolFault.self) { try parser.next() }
    }

    @Test func headerValueIsKeptUnchanged() throws {
        var bytes = ByteBuffer()
        bytes.writePublish(
            "a", reply: "r.", token: 12, fields: [.init(name: "K", value: " a: b "), .init(name: "E", value: "")],
            payload: [1, 2])
        #expect(String(buffer: bytes) == "HPUB a r.12 28 30\r\nNATS/1.0\r\nK:  a: b \r\nE: \r\n\r\n\u{1}\u{2}\r\n")
        let block = Array("NATS/1.0\r\nK:  a: b \r\nE: \r\nnonsense\r\n: x\r\n\r\n".utf8)
        let headers = block.withUnsafeBytes { NATSHeaders(block: $0) }
        #expect(headers == NATSHeaders(fields: [.init(name: "K", value: " a: b "), .init(name: "E", value: "")]))
    }

    @Test func badlyFormattedHeadersAreParsed() {
        func read(_ text: String) -> NATSHeaders { Array(text.utf8).withUnsafeBytes { NATSHeaders(block: $0) } }
        let fields = [NATSHeaders.Field(name: "A", value: "bc"), .init(name: "D", value: "ef")]
        #expect(read("NATS/1.0\nA: bc\nD: ef") == NATSHeaders(fields: fields))
        for first in ["NATS/1.0 1000 x", "NATS/1.0 42", "HTTP/1.1 503 x", "NATS/1.0"] {
            let headers = read(first + "\r\nA: b\r\n\r\n")
            #expect(headers == NATSHeaders(fields: [.init(name: "A", value: "b")]), "\(first)")
        }
    }

    @Test func headersThatWouldInjectFieldsAreRefused() {
        #expect(NATSHeaders.isField("a-b", "c d") && !NATSHeaders.isField("a:", "c") && !NATSHeaders.isField("", "c"))
        #expect(!NATSHeaders.isField("a", "b\r\nc: d") && !NATSHeaders.isField("a\n", "b"))
        #expect(
            OutgoingMessage.isSubject("a.b") && !OutgoingMessage.isSubject("a..b") && !OutgoingMessage.isSubject("a b"))
        #expect(
            !OutgoingMessage.isSubject("a.*") && !OutgoingMessage.isSubject("")
                && !OutgoingMessage.isSubject("a\r\nPUB"))
    }

    @Test func replySubjectOfDeliveryIsParsed() {
        let trace = DeliveryTrace("$JS.ACK.s.c.2.7.9.1700000000000000000.3")
        #expect(trace?.attempt == 2 && trace?.position == 7 && trace?.number == 9)
        #expect(trace?.nanoseconds == 1_700_000_000_000_000_000 && trace?.left == 3)
        #expect(DeliveryTrace("$JS.ACK.hub.acc.s.c.2.7.9.1700000000000000000.3") == trace)
        #expect(DeliveryTrace("$JS.ACK.hub.acc.s.c.2.7.9.1700000000000000000.3.x7") == trace)
        #expect(DeliveryTrace("$JS.ACK.hub.s.c.2.7.9.1700000000000000000.3") == nil)
        #expect(DeliveryTrace("$JS.ACK.s.c.0.7.9.1700000000000000000.3") == nil)
        #expect(DeliveryTrace("_INBOX.a") == nil)
    }

    @Test func lineOfLimitIsAcceptedAndOneByteMoreIsRefused() throws {
        // The limit counts the carriage return but not the line feed.
        let words = String(repeating: "x", count: NATSParser.lineLimit - 6)
        let line = "-ERR \(words)\r\n"
        #expect(try frames(line) == [.error(words)])
        #expect(try frames(line, cut: NATSParser.lineLimit) == [.error(words)])
        #expect(fault("-ERR x\(words)\r\n") == .lineTooLong(limit: NATSParser.lineLimit))
    }

    @Test func longSubjectIsAccepted() throws {
        let (subject, reply) = (String(repeating: "x", count: 4_090), "$JS.ACK.s.g.1.7.7.1.0")
        let message = IncomingMessage(sid: 1, subject: subject, reply: reply, headers: nil, payload: [13])
        #expect(try frames("MSG \(subject) 1 \(reply) 1\r\n\r\r\n") == [.message(message)])
    }

    @Test func subjectOfLimitIsSentAndLongerOneIsRefused() throws {
        let subject = String(repeating: "x", count: 2_048)
        #expect(try OutgoingMessage(NewMessage(subject, [])).subject == subject)
        #expect(throws: BrokerError.refused("a subject of 2049 bytes is too long: the limit is 2048")) {
            _ = try OutgoingMessage(NewMessage(subject + "x", []))
        }
    }

    @Test func numberOfMoreThanEighteenDigitsIsRefused() throws {
        #expect(
            try frames("MSG a 999999999999999999 0\r\n\r\n") == [
                .message(
                    IncomingMessage(
                        sid: 999_999_999_999_999_999, subject: "a", reply: nil, headers: nil, payload: []))
            ])
        #expect(fault("MSG a 1000000000000000000 0\r\n") == .badArguments("\"MSG a 1000000000000000000 0\""))
    }

    @Test func messageOfLimitIsAccepted() throws {
        let limit = NATSParser.payloadLimit
        var parser = NATSParser()
        parser.add(ByteBuffer(string: "MSG a 1 \(limit)\r\n"))
        let frame = try parser.next()
        #expect(frame == nil)
        var other = NATSParser()
        other.add(ByteBuffer(string: "MSG a 1 \(limit + 1)\r\n"))
        #expect(throws: ProtocolFault.payloadTooLarge(limit + 1, limit: limit)) { try other.next() }
    }

    @Test func messageWithoutPayloadYetIsIncomplete() throws {
        var parser = NATSParser()
        parser.add(ByteBuffer(string: "MSG a 1 3\r\n"))
        let nothing = try parser.next()
        #expect(nothing == nil && !parser.isEmpty)
        parser.add(ByteBuffer(string: "abc\r\n"))
        let frame = try parser.next()
        #expect(frame != nil && parser.isEmpty)
    }

    @Test func subjectWithEmptyTokenOrWildcardIsRefused() {
        for subject in ["a.", ".", ".a", "a.>", "a.b."] { #expect(!OutgoingMessage.isSubject(subject), "\(subject)") }
    }

    private func message(_ fields: [(String, String)]) -> NewMessage {
        let headers = NATSHeaders(fields: fields.map { NATSHeaders.Field(name: $0, value: $1) })
        return NewMessage(IncomingMessage(sid: 1, subject: "a", reply: nil, headers: headers, payload: [7]))
    }

    @Test func duplicateHeaderFieldsKeepFirst() {
        let message = message([
            ("K", "1"), (JetStreamHeader.id, "x"), (JetStreamHeader.expectedStream, "s"), ("K", "2"),
        ])
        #expect(message == NewMessage("a", [7], id: "x", headers: ["K": "1"]))
    }

    @Test(arguments: [
        "Nats-Batch-Id", "Nats-Expected-Last-Msg-Id", "Nats-Expected-Last-Sequence",
        "Nats-Expected-Last-Subject-Sequence", "Nats-Expected-Stream", "Nats-Incr", "Nats-Rollup", "Nats-Schedule",
        "Nats-Schedule-Target", "Nats-TTL",
    ])
    func streamHeadersAreNotForwarded(name: String) {
        #expect(!JetStreamHeader.goesAlong(name, "1") && JetStreamHeader.goesAlong("Nats-Colour", "blue"))
    }

    @Test(arguments: [("My Header", "x"), ("A", "x\ry")])
    func invalidHeadersAreNotForwarded(name: String, value: String) {
        #expect(!JetStreamHeader.goesAlong(name, value))
    }

    @Test func readMessageHasReceivedHeaders() {
        let fields = [("Nats-TTL", "1h"), ("Nats-Schedule-Target", "b"), ("My Header", "x"), ("A", "x\ry")]
        #expect(message(fields).headers == Dictionary(uniqueKeysWithValues: fields))
    }

    @Test func publishAnswerIsParsed() {
        func answer(_ text: String) -> PublishAnswer? { PublishAnswer(Array(text.utf8)) }
        let plain = answer(#"{"stream":"s","seq":7}"#)
        #expect(plain?.position == 7 && plain?.isDuplicate == false)
        let again = answer(#"{"stream": "s", "seq": 70, "duplicate": true}"#)
        #expect(again?.position == 70 && again?.isDuplicate == true)
        let new = answer(#"{"stream":"s","seq":8,"duplicate":false}"#)
        #expect(new?.position == 8 && new?.isDuplicate == false)
        #expect(answer(#"{"error":{"code":400},"stream":"s","seq":7}"#) == nil)
        #expect(answer(#"{"stream":"s","seq":x}"#) == nil && answer("") == nil)
    }

    @Test(arguments: ["error", "seq", "duplicate"])
    func publishAnswerOfStreamNamedLikeKeyIsParsed(name: String) {
        let answer = PublishAnswer(Array(#"{"stream":"\#(name)","domain":"\#(name)","seq":7,"duplicate":true}"#.utf8))
        #expect(answer?.position == 7 && answer?.isDuplicate == true)
    }

    @Test(arguments: [
        (1_700_000_014_814_814_692 as UInt64, "2023-11-14T22:13:34.814814692Z"),
        (1_700_000_043_209_876_185, "2023-11-14T22:14:03.209876185Z"),
        (1_700_000_070_370_369_787, "2023-11-14T22:14:30.370369787Z"),
        (1_705_947_143_862_624_642, "2024-01-22T18:12:23.862624642Z"),
    ])
    func messageTimeIsRoundedDown(nanoseconds: UInt64, moment: String) {
        // The nearest `Date` would be later.
        let text = JetStream.text(of: JetStream.time(nanoseconds: nanoseconds))
        #expect(text <= moment)
        #expect(text.hasPrefix(moment.prefix(26)))
    }

    @Test func groupUpdateChangesDifferencesAndKeepsOtherFields() throws {
        func info(_ config: String) -> [UInt8] { Array(#"{"config":{"max_deliver":7,\#(config)}}"#.utf8) }
        let present = #""ack_policy":"explicit","ack_wait":2000000000,"max_ack_pending":5,"filter_subject":"a""#
        let group = GroupSettings("g", deadline: .seconds(2), maxUnsettled: 5, filter: "a")
        #expect(try NATSDriver.change(info(present), by: group, "s").request == nil)
        var other = group
        other.maxUnsettled = 6
        let changed = try #require(try NATSDriver.change(info(present), by: other, "s").request)
        #expect(
            String(decoding: changed, as: UTF8.self)
                == #"{"config":{"ack_policy":"explicit","ack_wait":2000000000,"filter_subject":"a","#
                + #""max_ack_pending":6,"max_deliver":7},"stream_name":"s"}"#)
        for config in [#""ack_policy":"none""#, present + #","deliver_subject":"d""#] {
            #expect(throws: BrokerError.refused("stream s has a consumer g that is not a group")) {
                _ = try NATSDriver.change(info(config), by: group, "s")
            }
        }
    }

    /// If the group's deadline were shorter, other members would extend their deadlines too late.
    @Test(arguments: [(1, 2, false), (2, 2, false), (3, 3, true)])
    func groupDeadlineIsLongestOfItsMembers(_ wanted: Int, _ inForce: Int, _ changes: Bool) throws {
        let present = #"{"config":{"ack_policy":"explicit","ack_wait":2000000000,"max_ack_pending":10000}}"#
        let group = GroupSettings("g", deadline: .seconds(wanted))
        let change = try NATSDriver.change(Array(present.utf8), by: group, "s")
        #expect(change.deadline == inForce * 1_000_000_000)
        let request = change.request.map { String(decoding: $0, as: UTF8.self) }
        #expect((request != nil) == changes)
        if let request { #expect(request.contains("\"ack_wait\":\(inForce)000000000")) }
    }

    @Test(arguments: [
        ("a", "b", "group g of stream s receives 'a', but is described with 'b'") as (String?, String?, String),
        ("a", nil, "group g of stream s receives 'a', but is described with all subjects"),
        (nil, "a", "group g of stream s receives all subjects, but is described with 'a'"),
        ("", "a", "group g of stream s receives all subjects, but is described with 'a'"),
    ])
    func groupWithOtherSubjectsIsRefused(_ present: String?, _ wanted: String?, _ words: String) throws {
        let filter = present.map { #""filter_subject":"\#($0)","# } ?? ""
        let info = #"{"config":{\#(filter)"ack_policy":"explicit","ack_wait":30000000000,"max_ack_pending":10000}}"#
        let error = #expect(throws: BrokerError.self) {
            _ = try NATSDriver.change(Array(info.utf8), by: GroupSettings("g", filter: wanted), "s")
        }
        #expect(error?.refusal?.hasPrefix(words) == true, "\(String(describing: error))")
    }

    @Test func serverErrorsMapToRefusedOrUnavailable() {
        func error(_ code: Int, _ number: Int?) -> BrokerError {
            JetStream.Failure(code: code, err_code: number, description: "why").error("stream s")
        }
        #expect(error(404, 10_059) == .missing("stream s"))
        #expect(error(400, 10_058) == .refused("why"))
        #expect(error(500, 10_052) == .refused("why"))
        #expect(error(500, 10_074) == .refused("why") && error(503, 10_005) == .refused("why"))
        #expect(error(503, 10_008) == .unavailable("why") && error(500, nil) == .unavailable("why"))
        #expect(error(429, nil) == .unavailable("why"))
    }

    @Test func verbWithoutArgumentsRefusesArguments() {
        for line in ["PING x", "PONG x", "+OK x"] { #expect(fault(line + "\r\n") == .unknownVerb("\"\(line)\"")) }
    }

    @Test func emptyInfoIsRefusedAndEmptyErrorIsParsed() throws {
        #expect(fault("INFO\r\n") == .badInfo("\"INFO\""))
        #expect(try frames("-ERR\r\n") == [.error("")])
    }

    /// Servers accept messages of up to 64 MiB.
    @Test func largestMessageInBase64IsAccepted() {
        #expect(NATSParser.payloadLimit > (64 << 20) / 3 * 4 + 65_536)
    }

    @Test func headerWithoutSpaceAfterColonIsParsed() {
        let headers = Array("NATS/1.0\r\nK:value\r\n\r\n".utf8).withUnsafeBytes { NATSHeaders(block: $0) }
        #expect(headers["K"] == "value")
    }

    @Test func statusDescriptionKeepsAllWords() {
        let block = Array("NATS/1.0 409 Consumer is push based\r\n\r\n".utf8)
        let headers = block.withUnsafeBytes { NATSHeaders(block: $0) }
        #expect(headers.status == 409 && headers.description == "Consumer is push based")
    }

    @Test func serverInfoIsParsed() throws {
        let text =
            #"{"server_id":"S","server_name":"a","version":"2.10.0","max_payload":9,"headers":true,"jetstream":true,"#
            + #""tls_required":true,"tls_available":true,"nonce":"n","connect_urls":["b:1"]}"#
        var info = ServerInfo()
        (info.id, info.name, info.version, info.maxPayload) = ("S", "a", "2.10.0", 9)
        (info.hasHeaders, info.requiresTLS, info.offersTLS) = (true, true, true)
        (info.nonce, info.others) = ("n", ["b:1"])
        #expect(try frames("INFO \(text)\r\n") == [.info(info)])
        #expect(info.title == "nats-server 2.10.0 a")
    }

    @Test func missingServerInfoFieldsHaveDefaults() throws {
        guard case .info(let info)? = try frames("INFO {\"version\":\"2.10.0\"}\r\n").first else {
            throw CancellationError()
        }
        #expect(!info.hasHeaders && !info.requiresTLS && !info.offersTLS)
        #expect(info.maxPayload == 1 << 20 && info.id.isEmpty && info.name.isEmpty && info.others.isEmpty)
    }

    @Test func serverVersion29OrLaterIsAccepted() {
        func objection(_ version: String) -> String? {
            var info = ServerInfo()
            (info.version, info.hasHeaders) = (version, true)
            return info.objection
        }
        for version in ["2.9.0", "2.9", "2.10.1", "3.0.0"] { #expect(objection(version) == nil, "\(version)") }
        for version in ["2.8.4", "1.10.0", "2", "2.x", ""] { #expect(objection(version) != nil, "\(version)") }
    }

    @Test func serverWithoutHeadersOrPayloadIsRefused() {
        var info = ServerInfo()
        info.version = "2.10.0"
        #expect(info.objection == "the server does not support headers")
        (info.hasHeaders, info.maxPayload) = (true, 0)
        #expect(info.objection == "the server accepts no messages: its max_payload is 0")
        info.maxPayload = 1
        #expect(info.objection == nil)
    }

    @Test func serverTitleHasItsNameIfDistinctFromItsID() {
        func title(_ name: String, _ id: String) -> String {
            var info = ServerInfo()
            (info.version, info.name, info.id) = ("2.10.0", name, id)
            return info.title
        }
        #expect(title("", "S") == "nats-server 2.10.0" && title("S", "S") == "nats-server 2.10.0")
        #expect(title("a", "S") == "nats-server 2.10.0 a")
    }

    @Test func mutatedInputMatchesReferenceParser() throws {
        let isNight = ProcessInfo.processInfo.environment["RX_NIGHTLY"] == "1"
        var random = Mutations(seed: UInt64(ProcessInfo.processInfo.environment["RX_SEED"] ?? "") ?? 20_261_122)
        for round in 0..<(isNight ? 1_000_000 : 10_000) {
            let input = random.input()
            let plain = PlainReading(input)
            var parser = NATSParser()
            var (frames, fault): ([ServerFrame], ProtocolFault?) = ([], nil)
            var start = 0
            while start < input.count, fault == nil {
                let end = min(input.count, start + random.below(random.below(3) == 0 ? 5000 : 40) + 1)
                parser.add(ByteBuffer(bytes: input[start..<end]))
                start = end
                do {
                    while let frame = try parser.next() { frames.append(frame) }
                } catch {
                    fault = error
                }
            }
            let isSame = frames == plain.frames && (fault != nil) == plain.isBroken
            #expect(isSame, "round \(round): \(String(decoding: input.prefix(300), as: UTF8.self).debugDescription)")
            if !isSame { return }
        }
    }
}

/// A simple parser for comparison. It reads a whole input at once.
private struct PlainReading {
    var frames: [ServerFrame] = []
    var isBroken = false

    init(_ input: [UInt8]) {
        var rest = input[...]
        while !rest.isEmpty, !isBroken {
            guard let end = rest.firstIndex(of: 10) else {
                isBroken = rest.count > 65_536
                return
            }
            let line = rest[..<end]
            if line.count > 65_536 || line.last != 13 {
                isBroken = true
                return
            }
            rest = rest[(end + 1)...]
            guard read(Array(line.dropLast()), &rest) else { return }
        }
    }

    private mutating func read(_ line: [UInt8], _ rest: inout ArraySlice<UInt8>) -> Bool {
        let words = line.split(whereSeparator: { $0 == 32 || $0 == 9 })
        let startsAtOnce = line.first.map { $0 != 32 && $0 != 9 } ?? false
        let verb = startsAtOnce ? String(decoding: words.first ?? [], as: UTF8.self).uppercased() : ""
        switch (verb, words.count) {
        case ("PING", 1): frames.append(.ping)
        case ("PONG", 1): frames.append(.pong)
        case ("+OK", 1): frames.append(.ok)
        case ("INFO", _):
            guard let info = try? JSONDecoder().decode(ServerInfo.self, from: Data(line[4...])) else { return broken() }
            frames.append(.info(info))
        case ("-ERR", _):
            frames.append(
                .error(
                    String(decoding: line[4...], as: UTF8.self).trimmingCharacters(
                        in: CharacterSet(charactersIn: " \t'"))))
        case ("MSG", 4...5), ("HMSG", 5...6): return message(words, verb == "HMSG", &rest)
        default: return broken()
        }
        return true
    }

    private mutating func message(_ words: [ArraySlice<UInt8>], _ hasHeaders: Bool, _ rest: inout ArraySlice<UInt8>)
        -> Bool
    {
        func number(_ word: ArraySlice<UInt8>) -> Int? {
            word.count <= 18 && word.allSatisfy { 48...57 ~= $0 } ? Int(String(decoding: word, as: UTF8.self)) : nil
        }
        let sizes = hasHeaders ? 2 : 1
        guard let sid = number(words[2]), let size = number(words[words.count - 1]), size <= NATSParser.payloadLimit
        else { return broken() }
        let headerSize = hasHeaders ? number(words[words.count - 2]) : 0
        guard let headerSize, headerSize <= size else { return broken() }
        guard rest.count >= size + 2 else {
            return false
        }
        let body = Array(rest.prefix(size + 2))
        if body.suffix(2) != [13, 10] { return broken() }
        rest = rest.dropFirst(size + 2)
        frames.append(
            .message(
                IncomingMessage(
                    sid: UInt64(sid), subject: String(decoding: words[1], as: UTF8.self),
                    reply: words.count == 4 + sizes ? String(decoding: words[3], as: UTF8.self) : nil,
                    headers: hasHeaders ? body[..<headerSize].withUnsafeBytes { NATSHeaders(block: $0) } : nil,
                    payload: Array(body[headerSize..<size]))))
        return true
    }

    private mutating func broken() -> Bool {
        isBroken = true
        return false
    }
}

private struct Mutations {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    mutating func input() -> [UInt8] {
        var input: [UInt8] = []
        for _ in 0...below(6) { input += frame() }
        for _ in 0..<[0, 0, 1, 3][below(4)] where !input.isEmpty { mutate(&input) }
        return input
    }

    private mutating func frame() -> [UInt8] {
        let size = [0, 1, 5, 30, 300][below(5)]
        let payload = (0..<size).map { _ in UInt8(below(256)) }
        let reply = below(2) == 0 ? "" : "_INBOX.\(below(9)) "
        switch below(9) {
        case 0: return Array("PING\r\n".utf8)
        case 1: return Array("pOnG\r\n".utf8)
        case 2: return Array("+OK\r\n".utf8)
        case 3: return Array("-ERR 'Unknown Protocol Operation'\r\n".utf8)
        case 4:
            return Array(
                "INFO {\"server_id\":\"\(below(9))\",\"version\":\"2.9.1\",\"max_payload\":\(below(99999))}\r\n".utf8)
        case 5:
            let block = Array("NATS/1.0 \(below(999))\r\nA: \(below(9))\r\n\r\n".utf8)
            return Array("HMSG a.b \(below(99)) \(reply)\(block.count) \(block.count + size)\r\n".utf8) + block
                + payload + [13, 10]
        case 6 where below(20) == 0: return [UInt8](repeating: 65, count: 64_536 + below(2000))
        default: return Array("MSG a.\(below(9)) \(below(99)) \(reply)\(size)\r\n".utf8) + payload + [13, 10]
        }
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        let at = below(input.count)
        switch below(5) {
        case 0: input[at] = UInt8(below(256))
        case 1: input.remove(at: at)
        case 2: input.insert([13, 10, 32, 48, 57, 9, 0, 255][below(8)], at: at)
        case 3: input.removeSubrange(at...)
        default: input.insert(contentsOf: input[at..<min(input.count, at + below(20))], at: below(input.count))
        }
    }
}
