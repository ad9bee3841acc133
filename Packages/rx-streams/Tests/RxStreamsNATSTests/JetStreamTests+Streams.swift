import Foundation
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    private static let wanted =
        #""name":"s","subjects":["a","b"],"num_replicas":1,"max_age":0,"#
        + #""max_msgs":5,"max_bytes":-1,"duplicate_window":120000000000"#

    @Test func ensureStreamCreatedConcurrentlyUpdatesIt() async throws {
        let asked = Seen<Request>()
        let made = Self.stream(#""name":"s","subjects":["s"],"storage":"file","max_msgs":3"#)
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                let isFirst = asked.all.filter { $0.subject == request.subject }.count == 1
                switch request.subject {
                case "$JS.API.STREAM.INFO.s" where isFirst:
                    return [request.error(404, 10_059, "stream not found")]
                case "$JS.API.STREAM.CREATE.s":
                    return [request.error(400, 10_058, "stream name already in use with a different configuration")]
                default: return [request.answer(made)]
                }
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(StreamSettings("s", keeping: .last(5)))
        }
        let last = try #require(asked.all.last)
        #expect(last.subject == "$JS.API.STREAM.UPDATE.s")
        #expect(last.body.contains(#""max_msgs":5"#) && last.body.contains(#""storage":"file""#), "\(last.body)")
    }

    @Test func ensureMatchingStreamLeavesItUnchanged() async throws {
        let asked = Seen<Request>()
        let info = Self.stream(Self.wanted.replacing(#"["a","b"]"#, with: #"["b","a"]"#))
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(info)]
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(StreamSettings("s", subjects: ["a", "b"], keeping: .last(5)))
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.STREAM.INFO.s"])
    }

    @Test func ensureDifferentStreamUpdatesItAndKeepsOtherFields() async throws {
        let asked = Seen<Request>()
        let info = Self.stream(Self.wanted.replacing(#""max_msgs":5"#, with: #""max_msgs":4,"placement":"here""#))
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(info)]
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(StreamSettings("s", subjects: ["a", "b"], keeping: .last(5)))
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.STREAM.INFO.s", "$JS.API.STREAM.UPDATE.s"])
        let body = try #require(asked.all.last?.body)
        #expect(body.contains(#""max_msgs":5"#) && body.contains(#""placement":"here""#), "\(body)")
    }

    @Test(arguments: [
        (StreamSettings("s", keeping: .age(.seconds(60))), 60_000_000_000, 60_000_000_000),
        (StreamSettings("s", keeping: .age(.milliseconds(1))), 100_000_000, 100_000_000),
        (StreamSettings("s", duplicateWindow: .milliseconds(1)), 0, 100_000_000),
    ])
    func streamSpansBelowServerMinimumAreRaised(stream: StreamSettings, age: Int, window: Int) async throws {
        let made = Mutex("")
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                made.withLock { $0 = request.body }
                return [request.answer(Self.stream())]
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(stream)
        }
        let body = made.withLock { $0 }
        #expect(body.contains(#""max_age":\#(age),"#) && body.contains(#""duplicate_window":\#(window),"#), "\(body)")
    }

    @Test func invalidNamesAreRefused() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.error(404, 10_059, "stream not found")] }
        } run: { (server, driver) async throws in
            for name in ["a.b", "", "a b", "*", ">", "a\r\nPUB x 0", String(repeating: "a", count: 256)] {
                await #expect(throws: BrokerError.refused("\(name.debugDescription) is not a valid name of a stream")) {
                    _ = try await driver.summary(of: name)
                }
            }
            await #expect(throws: BrokerError.refused("\"a.b\" is not a valid name of a group")) {
                try await driver.remove(group: "a.b", of: "s")
            }
            #expect(!server.lines.contains { $0.hasPrefix("PUB $JS.API") })
            let longest = String(repeating: "a", count: 255)
            await #expect(throws: BrokerError.missing("stream \(longest)")) {
                _ = try await driver.summary(of: longest)
            }
        }
    }

    @Test func emptyStreamStartsAtPositionOne() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(Self.stream())] }
        } run: { (_, driver) async throws in
            #expect(try await driver.summary(of: "s") == StreamSummary(first: Position(1), last: Position(0), count: 0))
            #expect(try await driver.locate(.time(Date()), in: "s") == Position(1))
        }
    }

    @Test func namesWithDotsAreNeverSent() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(Self.stream())] }
        } run: { (server, driver) async throws in
            let refused = BrokerError.refused("\"a.b\" is not a valid name of a stream")
            await #expect(throws: refused) { try await driver.remove(stream: "a.b") }
            await #expect(throws: refused) { _ = try await driver.append([NewMessage("s", [1])], to: "a.b") }
            await #expect(throws: refused) {
                _ = try await driver.read("a.b", from: Position(1), limit: 1, within: .seconds(0))
            }
            await #expect(throws: refused) { try await driver.remove(group: "g", of: "a.b") }
            await #expect(throws: refused) { _ = try await driver.summary(of: "g", in: "a.b") }
            await #expect(throws: refused) { _ = try await driver.join(GroupSettings("g"), of: "a.b") }
            await #expect(throws: BrokerError.refused("\"a.b\" is not a valid name of a group")) {
                _ = try await driver.summary(of: "a.b", in: "s")
            }
            await #expect(throws: BrokerError.self) { try await driver.ensure(StreamSettings("a.b")) }
            await #expect(throws: BrokerError.self) { _ = try await driver.join(GroupSettings("a.b"), of: "s") }
            #expect(!server.lines.contains { $0.hasPrefix("PUB") || $0.hasPrefix("HPUB") })
        }
    }

    @Test func ensureMissingStreamCreatesIt() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                return [request.answer(Self.stream())]
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(StreamSettings("s", keeping: Retention(bytes: 1_000)))
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.STREAM.INFO.s", "$JS.API.STREAM.CREATE.s"])
        let body = asked.all.last?.body ?? ""
        for field in [
            #""discard":"old","#, #""max_age":0,"#, #""max_bytes":1000,"#, #""max_msgs":-1,"#,
            #""retention":"limits","#, #""storage":"file","#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test func ensureRefusedStreamThrowsRefused() async throws {
        let asked = Seen<String>()
        let why = "subjects overlap with an existing stream"
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                return [request.error(400, 10_065, why)]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused(why)) { try await driver.ensure(StreamSettings("s")) }
        }
        #expect(asked.all == ["$JS.API.STREAM.INFO.s", "$JS.API.STREAM.CREATE.s"])
    }

    @Test(arguments: [
        (500, 10_047, BrokerError.refused("why")), (500, 10_028, .refused("why")), (500, 10_053, .refused("why")),
        (503, 10_036, .refused("why")), (500, 10_052, .refused("why")), (500, 10_074, .refused("why")),
        (503, 10_008, .unavailable("why")), (503, 10_023, .unavailable("why")), (503, 10_076, .unavailable("why")),
        (500, 10_049, .unavailable("why")), (503, 10_077, .unavailable("why")),
    ])
    func errorCodesMapToRefusedOrUnavailable(code: Int, number: Int, error: BrokerError) async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                return [request.error(code, number, "why")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: error) { try await driver.ensure(StreamSettings("s")) }
        }
    }

    @Test func ensureStreamWithOnlyCanonicallyEqualSubjectUpdatesIt() async throws {
        let asked = Seen<Request>()
        let info = Self.stream(Self.wanted.replacing(#"["a","b"]"#, with: #"["caf\u00e9"]"#))
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return [request.answer(info)]
            }
        } run: { (_, driver) async throws in
            try await driver.ensure(StreamSettings("s", subjects: ["cafe\u{301}"], keeping: .last(5)))
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.STREAM.INFO.s", "$JS.API.STREAM.UPDATE.s"])
    }

    @Test func ensureStreamCreatedAndRemovedConcurrentlyThrowsMissing() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                return request.subject.contains(".CREATE.")
                    ? [request.error(400, 10_058, "stream name already in use")] : [request.answer(Self.stream())]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.missing("stream s")) { try await driver.ensure(StreamSettings("s")) }
        }
        #expect(asked.all == ["$JS.API.STREAM.INFO.s", "$JS.API.STREAM.CREATE.s", "$JS.API.STREAM.INFO.s"])
    }

    @Test(arguments: [">", "*.>", "$JS.>", "*.API.INFO", "*.*.x", "$JS.ACK.s", "_INBOX.>", "_INBOX.*.1"])
    func streamOfServerSubjectsIsRefused(pattern: String) async throws {
        try await with { _ in
            LittleServer.asked { [$0.answer(Self.stream(#""name":"s""#))] }
        } run: { (server, driver) async throws in
            let error = await #expect(throws: BrokerError.self) {
                try await driver.ensure(StreamSettings("s", subjects: [pattern]))
            }
            let why = error?.refusal ?? ""
            #expect(why.hasPrefix("'\(pattern)' cannot be a stream's subject"), "\(String(describing: error))")
            #expect(!server.lines.contains { $0.hasPrefix("PUB") })
        }
    }

    @Test(arguments: ["*.new", "*.orders.new", "*.orders.>", "a.>", "$KV.a.>", "JS.API.>", "$JS.API", "_INBOX.*"])
    func streamOfOtherSubjectsIsCreated(pattern: String) async throws {
        try await with { _ in
            LittleServer.asked { [$0.answer(Self.stream(#""name":"s","subjects":["\#(pattern)"]"#))] }
        } run: { (_, driver) async throws in
            await #expect(throws: Never.self) { try await driver.ensure(StreamSettings("s", subjects: [pattern])) }
        }
    }
}
