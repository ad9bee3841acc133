import Foundation
import NIOCore
import NIOEmbedded
import RxStreams
import RxSwift
import Synchronization
import Testing

@testable import RxStreamsNATS

/// What JetStream is asked, and what is made of its answers; without a server.
@Suite(.serialized) struct JetStreamTests {
    private typealias Request = LittleServer.Request

    private static let consumer =
        #"{"config":{},"delivered":{"stream_seq":0},"num_pending":9,"num_ack_pending":0}"#

    /// What a stream is, as the server says it.
    private static func stream(_ config: String = "", count: Int = 0, first: Int = 0, last: Int = 0) -> String {
        #"{"config":{\#(config)},"state":{"messages":\#(count),"first_seq":\#(first),"last_seq":\#(last)}}"#
    }

    /// Runs a test with a driver on a server.
    ///
    /// - Parameter script: what to do with the first connection, the second and so on, beginning with 0.
    private func with(
        _ script: @escaping @Sendable (Int) -> LittleServer.Script,
        options change: (inout NATSClient.Options) -> Void = { _ in },
        run body: (LittleServer, NATSDriver) async throws -> Void
    ) async throws {
        let server = try await LittleServer.start(script)
        let driver = NATSDriver(
            try NATSClient.testing([server.url]) {
                ($0.heartbeat, $0.requestTimeout) = (.seconds(600), .seconds(20))
                change(&$0)
            })
        do {
            try await driver.client.untilReady(within: .seconds(20))
            try await body(server, driver)
        } catch {
            await driver.close()
            await server.stop()
            throw error
        }
        await driver.close()
        await server.stop()
    }

    /// A member of a group, as one that has joined.
    private func member(_ driver: NATSDriver, deadline: RxTimeInterval = .seconds(600)) -> NATSMember {
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g", deadline: deadline))
        _ = driver.add(member)
        return member
    }

    /// Keeps the pulls, and answers them alone.
    private static func pulled(
        into pulls: Seen<Request>, answer: @escaping @Sendable (Request) -> [String]? = { _ in [] }
    ) -> LittleServer.Script {
        LittleServer.asked { request in
            guard request.subject.contains(".NEXT.") else { return [] }
            pulls.add(request)
            return answer(request)
        }
    }

    private func positions(_ messages: [PulledMessage]) -> [UInt64] { messages.map(\.stored.position.number) }

    // MARK: Streams

    private static let wanted =
        #""name":"s","subjects":["a","b"],"num_replicas":1,"max_age":0,"#
        + #""max_msgs":5,"max_bytes":-1,"duplicate_window":120000000000"#

    @Test func whoIsNotTheFirstToMakeAStreamChangesWhatAnotherHasMade() async throws {
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
        // What nobody sets stays.
        #expect(last.body.contains(#""max_msgs":5"#) && last.body.contains(#""storage":"file""#), "\(last.body)")
    }

    @Test func aStreamThatIsAsWantedIsLeftAsItIs() async throws {
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

    @Test func aStreamThatIsOtherwiseIsChangedAndKeepsWhatNobodySets() async throws {
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
    func aSpanThatTheServerDoesNotTakeIsTheNextThatItTakes(stream: StreamSettings, age: Int, window: Int) async throws {
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

    @Test(arguments: [
        (#"["s.*"]"#, BrokerError.unavailable("the stream does not respond")),
        (#"["t.*"]"#, BrokerError.refused("'s.a' is not a subject of stream s")),
    ])
    func whatNobodyHasKeptIsRefusedWhereTheSubjectIsNoneOfTheStreams(subjects: String, error: BrokerError) async throws
    {
        try await with { _ in
            LittleServer.asked { request in
                request.subject == "s.a"
                    ? [request.status("503")] : [request.answer(Self.stream(#""subjects":\#(subjects)"#))]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: error) { _ = try await driver.append([NewMessage("s.a", [1])], to: "s") }
        }
    }

    @Test func whatWouldBeSeveralWordsOfASubjectIsNoName() async throws {
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

    @Test func aReplayFromAMomentBeginsWhereTheServerFindsItAndIsReadByThatReader() async throws {
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

    @Test func aConsumerBeginsWhereItIsToldAndNotBeforeTheFirstPosition() {
        for (position, first) in [(7, 7), (1, 1), (0, 1)] as [(UInt64, UInt64)] {
            let found = ReplayStart.position(Position(position)).consumerFields["opt_start_seq"] as? UInt64
            #expect(found == first)
        }
    }

    @Test func aReplayBeginsWithinTheStream() async throws {
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

    @Test func aStreamThatHasGotNothingBeginsWithItsFirstPosition() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.answer(Self.stream())] }
        } run: { (_, driver) async throws in
            #expect(try await driver.summary(of: "s") == StreamSummary(first: Position(1), last: Position(0), count: 0))
            #expect(try await driver.locate(.time(Date()), in: "s") == Position(1))
        }
    }

    @Test func aReceiptSaysWhereAMessageIsAndWhetherItWasThereAlready() async throws {
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

    @Test func noNameOfSeveralWordsIsSaidToTheServer() async throws {
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

    @Test func aStreamThatIsNewIsMadeAndNotChanged() async throws {
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

    @Test func aStreamThatTheServerRefusesIsRefusedAndNotLookedForAgain() async throws {
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
    func whatDoesNotPassIsRefusedAndTheRestIsTriedAgain(code: Int, number: Int, error: BrokerError) async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".INFO.") { return [request.error(404, 10_059, "stream not found")] }
                return [request.error(code, number, "why")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: error) { try await driver.ensure(StreamSettings("s")) }
        }
    }

    @Test func aStreamWithASubjectThatOnlyLooksAsWantedIsChanged() async throws {
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

    @Test func aStreamThatAnotherHasMadeAndRemovedIsMissing() async throws {
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

    /// And the first message of a stream has position 1.
    @Test func whatIsAppendedSaysForWhichStreamItIs() async throws {
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

    @Test func positionZeroIsNoReceipt() async throws {
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

    @Test func ofABatchNoMoreGoesUpTogetherThanMayWait() async throws {
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
                // Behind what went up together.
                try await driver.client.roundTrip(within: .seconds(20))
                #expect(asked.all.count == count)
                for request in asked.all.suffix(count == 5 ? 1 : 2) {
                    try await server.say(request.answer(#"{"stream":"s","seq":\#(count)}"#))
                }
            }
            #expect(try await receipts.map(\.position.number) == [2, 2, 4, 4, 5])
        }
    }

    @Test func aMessageThatIsLargerThanWhatMayWaitGoesUpByItself() async throws {
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
    func whyAMessageIsNotKeptIsTold(code: Int, why: String) async throws {
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
    func whatIsNotKeptYetMayBeSaidAgain(code: Int, number: Int, why: String) async throws {
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
    func anIDThatWouldNotArriveAsItIsIsRefusedByName(id: String) async throws {
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

    @Test func headersThatAreTooLargeForAStreamAreRefusedBeforeAnythingIsSent() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let messages = [1, 65_600].map { NewMessage("s.a", [1], id: String(repeating: "x", count: $0)) }
            let why = "an id and headers of 65652 bytes are too large: the limit is 65535"
            await #expect(throws: BrokerError.refused(why)) { _ = try await driver.append(messages, to: "s") }
            #expect(!server.lines.contains { $0.hasPrefix("HPUB") })
        }
    }

    // MARK: Reading

    @Test func whoAsksForNoMessageIsRefused() async throws {
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

    /// What a consumer has sent and nobody has got is not sent again by it.
    @Test func whoReadsGoesOnWithAnotherConsumerWhereTheServerIsSilent() async throws {
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

    @Test func whoReadsGoesOnWithAnotherConsumerWhereTheConnectionIsLost() async throws {
        let known = Mutex<Set<String>>([])
        try await with { connection in
            LittleServer.asked { request in
                let words = request.subject.split(separator: ".").map(String.init)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    if connection > 0 { known.withLock { _ = $0.insert(words[5]) } }
                    return [request.answer(Self.consumer)]
                }
                // What the first consumer has sent goes with its connection, and it has nothing more.
                if connection == 0 { return nil }
                let isNew = known.withLock { $0.contains(words.last ?? "") }
                return [isNew ? request.delivery(1) : request.status("404 No Messages")]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
            #expect(read.map(\.position.number) == [1])
        }
    }

    @Test func whatCameBeforeTheConnectionWasLostIsReadBeforeThatIsTold() async throws {
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

    @Test func whoReadsFromBehindTheEndGetsNothingBeforeThat() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                // It began at the end of the stream.
                return [request.delivery(6, number: 1, left: 1), request.delivery(10, number: 2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(10), limit: 10, within: .seconds(20))
            #expect(read.map(\.position.number) == [10])
        }
    }

    @Test func whoGetsOnlyWhatComesBeforeHisPositionReadsOn() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                // It began at the end of the stream.
                return [pulls.all.count == 1 ? request.delivery(6, number: 1) : request.delivery(10, number: 2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(10), limit: 1, within: .seconds(20))
            #expect(read.map(\.position.number) == [10])
        }
    }

    @Test func whoIsCancelledWhileHeReadsGoesOnWithHisReader() async throws {
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

    /// The first reader has asked for what comes, and the server does not say that nothing is on its way.
    @Test func whoLooksHasTheServerSayWhatIsThere() async throws {
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

    @Test func whoLooksAndIsNotAnsweredIsNotToldThatNothingIsThere() async throws {
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
            // It is asked whether the consumer is there, of which nothing has been heard.
            try await asked.wait { $0 == ["$JS.API.CONSUMER.MSG.NEXT.s.g", "$JS.API.CONSUMER.INFO.s.g"] }
        }
    }

    /// Runs a test with what keeps readers, on a loop whose time is virtual, and with two of them.
    private func withReaders(
        run body: (LittleServer, ReaderCache, NIOAsyncTestingEventLoop, StreamReader, StreamReader) async throws -> Void
    ) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (server, driver) async throws in
            let first = try await StreamReader.make(driver.client, "s", start: .position(Position(1)))
            let second = try await StreamReader.make(driver.client, "s", start: .position(Position(1)))
            let loop = NIOAsyncTestingEventLoop()
            do {
                try await body(server, ReaderCache(on: loop), loop, first, second)
            } catch {
                await loop.shutdownGracefully()
                throw error
            }
            await loop.shutdownGracefully()
        }
    }

    @Test func ofManyReadersTheOldestIsEnded() async throws {
        try await withReaders { server, readers, _, first, second in
            readers.put(first)
            for _ in 1...16 { readers.put(second) }
            try await eventually { server.lines.contains("PUB \(first.farewell.subject) 0") }
            #expect(readers.take("s", Position(1), looks: false) === second)
        }
    }

    @Test func aReaderForWhichNobodyComesIsEnded() async throws {
        try await withReaders { server, readers, loop, reader, _ in
            readers.put(reader)
            for _ in 0..<2 { await loop.advanceTime(by: ReaderCache.pause) }
            try await eventually { server.lines.contains("PUB \(reader.farewell.subject) 0") }
            #expect(readers.take("s", Position(1), looks: false) == nil)
        }
    }

    @Test func aReaderThatIsUsedNowAndThenWaitsOn() async throws {
        try await withReaders { _, readers, loop, reader, _ in
            for _ in 0..<4 {
                readers.put(reader)
                await loop.advanceTime(by: ReaderCache.pause)
                #expect(readers.take("s", Position(1), looks: false) === reader)
            }
        }
    }

    @Test func whoClosesHasTheServerForgetTheReaders() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (server, driver) async throws in
            _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
            await driver.close()
            #expect(server.lines.contains { $0.hasPrefix("PUB $JS.API.CONSUMER.DELETE.s.") })
            #expect(driver.readers.take("s", Position(1), looks: true) == nil)
        }
    }

    @Test func whoseConsumersGoAgainAndAgainReadsNoMore() async throws {
        let consumers = Mutex(0)
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    consumers.withLock { $0 += 1 }
                    // Where it does not stop by itself.
                    return consumers.withLock { $0 } > 40 ? nil : [request.answer(Self.consumer)]
                }
                return request.subject.contains(".NEXT.") ? [request.status("409 Consumer Deleted")] : []
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.self) {
                _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(20))
            }
            #expect(consumers.withLock { $0 } == 4)
        }
    }

    @Test func aReaderIsOnOneServerAndForgottenWhereNobodyUsesIt() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (_, driver) async throws in
            _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
        }
        let body = asked.all.first?.body ?? ""
        for field in [
            #""ack_policy":"none","#, #""inactive_threshold":60000000000,"#, #""mem_storage":true,"#,
            #""num_replicas":1,"#, #""opt_start_seq":1,"#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test func aReaderGoesOnWhereItIsAndInItsStreamAlone() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                if request.subject.contains(".NEXT.t.") { return [request.status("404 No Messages")] }
                guard request.subject.contains(".NEXT.s.") else { return [] }
                return [request.delivery(asked.all.filter { $0.contains(".NEXT.s.") }.count)]
            }
        } run: { (_, driver) async throws in
            for position in 1...2 as ClosedRange<UInt64> {
                let read = try await driver.read("s", from: Position(position), limit: 1, within: .seconds(20))
                #expect(read.map(\.position.number) == [position])
            }
            #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1)
            #expect(try await driver.read("t", from: Position(3), limit: 1, within: .seconds(0)).isEmpty)
            #expect(asked.all.contains { $0.hasPrefix("$JS.API.CONSUMER.CREATE.t.") })
        }
    }

    @Test func whoRemovesAStreamForgetsItsReadersAndNoOthers() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                if request.subject.hasPrefix("$JS.API.STREAM.DELETE.") {
                    return [request.answer(#"{"success":true}"#)]
                }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (_, driver) async throws in
            for stream in ["s", "t"] {
                _ = try await driver.read(stream, from: Position(1), limit: 1, within: .seconds(0))
            }
            try await driver.remove(stream: "s")
            for stream in ["s", "t"] {
                _ = try await driver.read(stream, from: Position(1), limit: 1, within: .seconds(0))
            }
        }
        #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.s.") }.count == 2)
        #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.t.") }.count == 1)
    }

    // MARK: Groups

    private static let group =
        #"{"config":{"ack_policy":"explicit","ack_wait":30000000000,"max_ack_pending":10000},"#
        + #""delivered":{"stream_seq":0},"num_pending":0,"num_ack_pending":0}"#

    @Test func whoIsNotTheFirstToMakeAGroupJoinsIt() async throws {
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

    @Test func whoJoinsAGroupWithOtherSettingsChangesIt() async throws {
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

    @Test(arguments: [">", "*.>", "$JS.>", "*.API.INFO", "*.*.x", "$JS.ACK.s", "_INBOX.>", "_INBOX.*.1"])
    func aStreamOfWhatTheServerItselfSaysIsRefused(pattern: String) async throws {
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
    func aStreamOfOtherSubjectsIsMade(pattern: String) async throws {
        try await with { _ in
            LittleServer.asked { [$0.answer(Self.stream(#""name":"s","subjects":["\#(pattern)"]"#))] }
        } run: { (_, driver) async throws in
            await #expect(throws: Never.self) { try await driver.ensure(StreamSettings("s", subjects: [pattern])) }
        }
    }

    /// Position 0 is none of JetStream's: it begins with the first.
    @Test func aGroupIsMadeAsItIsWanted() async throws {
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
    func whoJoinsAGroupThatIsOtherwiseInOneThingChangesThat(group: GroupSettings, change: String) async throws {
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

    @Test func aGroupThatTheServerRefusesIsRefusedAtOnce() async throws {
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

    @Test func whoClosesHandsBackWhatHasComeToAMemberAndWhatItHasNotSettled() async throws {
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

    /// A server that answers no PING from when it is told to be silent until it is told to speak. So a broker that
    /// closes meanwhile is closing for a while.
    ///
    /// Guards: `isOn` is under its lock.
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

        /// Waits for a PING that is not answered.
        func ping() async throws { try await pings.wait { !$0.isEmpty } }

        /// Answers it, and those that come.
        func end(_ server: LittleServer) async {
            isOn.withLock { $0 = false }
            // Who has waited for too long has closed.
            try? await server.say("PONG\r\n")
        }
    }

    @Test func whoPullsWhileTheBrokerIsClosingIsTold() async throws {
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

    @Test func whoJoinsWhileTheBrokerIsClosingIsTold() async throws {
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

    @Test func whoClosesAgainWaitsUntilAllIsHandedBack() async throws {
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
                // What nobody takes.
                try await server.say(try #require(pulls.all.last).delivery(number + 3))
            }
            try await driver.client.roundTrip(within: .seconds(20))
            silence.begin()
            let first = Task { await driver.close() }
            try await silence.ping()
            // Not even where nobody waits for it.
            let executor = QueueExecutor()
            let second = Task(executorPreference: executor) { await driver.close() }
            second.cancel()
            // Once it waits.
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

    @Test func whatIsExtendedIsHandedBackAtTheEndAlsoAfterItsFirstDeadline() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (_, driver) async throws in
            let token = "$JS.ACK.s.g.1.1.1.1.0"
            driver.unsettled.add([token], due: .uptimeNanoseconds(0))
            try await member(driver).settle([Verdict(MessageToken(token), .extended)])
            // So many that it looks for those whose time is over.
            driver.unsettled.add((0..<1_024).map { "\($0)" }, due: .distantFuture)
            #expect(driver.unsettled.takeAll().contains(token))
        }
    }

    @Test func aTokenThatWouldBecomeACommandIsRefused() async throws {
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

    @Test func whoSettlesNothingNeedsNoConnection() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (_, driver) async throws in
            await driver.close()
            await #expect(throws: Never.self) { try await member(driver).settle([]) }
        }
    }

    // MARK: Pulls

    @Test func whatIsOnItsWayIsNeverMoreThanAPullWants() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (server, driver) async throws in
            func batches() -> [Int] {
                pulls.all.compactMap { request in
                    (try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any])?["batch"]
                        as? Int
                }
            }
            let member = member(driver)
            func pull() -> Task<[PulledMessage], any Error> {
                Task { try await member.pull(upTo: 4, within: .seconds(20)) }
            }
            let first = pull()
            try await server.say(try #require(try await pulls.wait { $0.count == 1 }.last).delivery(1))
            #expect(positions(try await first.value) == [1])
            // Three are on their way.
            #expect(batches() == [4])
            let second = pull()
            let last = try #require(try await pulls.wait { $0.count == 2 }.last)
            #expect(batches() == [4, 1])
            // The first pull ends with the three that it has not brought.
            try await server.say(pulls.all[0].status("408 Request Timeout", "Nats-Pending-Messages: 3"))
            try await pulls.wait { $0.count == 3 }
            #expect(batches() == [4, 1, 3])
            try await server.say(last.delivery(2))
            #expect(positions(try await second.value) == [2])
        }
    }

    /// As servers greet that take what they take unless they are told otherwise.
    private static let large = LittleServer.info.replacing("\"max_payload\":1000,", with: "\"max_payload\":1048576,")

    /// How many bytes a pull may bring, in its words.
    private static func bytes(_ pull: Request) -> Substring? {
        pull.body.split(separator: "\"max_bytes\":").dropFirst().first?.prefix { $0.isNumber }
    }

    @Test(arguments: [(3, nil), (4, "4194301"), (256, "4194301"), (Int.max, "4194301")])
    func aPullOfManyMessagesSaysHowManyBytesTheyMayHave(count: Int, bytes: String?) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: count, within: .seconds(600)) == [1])
            #expect(pulls.all.first.flatMap { Self.bytes($0) }.map(String.init) == bytes)
        }
    }

    @Test func aPullOfWhatAServerKeepsThatTakesLessNowSaysHowManyBytesItMayHave() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            // It takes 1000 bytes.
            LittleServer.asked { request in
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 4, within: .seconds(600)) == [1])
            #expect(pulls.all.first.flatMap { Self.bytes($0) } == "4194301")
        }
    }

    /// A server says so to one who asks for fewer bytes than the next message has.
    @Test(arguments: [RxTimeInterval.seconds(0), .seconds(600)], ["Nats-Pending-Messages: 99", "Colour: blue"])
    func aMessageThatIsLargerThanAPullMayBringIsAskedForAlone(span: RxTimeInterval, field: String) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                return [
                    pulls.all.count == 2
                        ? request.delivery(1) : request.status("409 Message Size Exceeds MaxBytes", field)
                ]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 99, within: span) == [1])
            #expect(pulls.all.prefix(2).map { Self.bytes($0) } == ["4194301", nil])
            #expect(pulls.all.prefix(2).map { $0.body.contains(#""batch":1,"#) } == [false, true])
        }
    }

    @Test func aPullAfterALargeMessageIsAsThoseBeforeIt() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 99")
                return pulls.all.count == 1 ? [end] : [request.delivery(pulls.all.count)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 99, within: .seconds(0)) == [2])
            #expect(try await brought(by: member, upTo: 99, within: .seconds(0)) == [3])
            #expect(pulls.all.map { Self.bytes($0) } == ["4194301", nil, "4194301"])
            #expect(pulls.all.last?.body.contains(#""batch":99,"#) == true)
        }
    }

    @Test func nothingElseIsAskedForWhileALargeMessageIsOnItsWay() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 99")
                return pulls.all.count == 1 ? [end] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pull = Task { try await brought(by: member, upTo: 99, within: .seconds(600)) }
            let one = try await pulls.wait { $0.count == 2 }[1]
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(one.delivery(1))
            #expect(try await pull.value == [1])
            let next = try await pulls.wait { $0.count >= 3 }[2]
            #expect(next.body.contains(#""batch":98,"#))
        }
    }

    @Test(arguments: [RxTimeInterval.seconds(0), .seconds(600)])
    func aPullThatHasBroughtWhatItMayIsFollowedByAnotherOfAsMuch(span: RxTimeInterval) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 8")
                return pulls.all.count == 1 ? [request.delivery(1, left: 1), end] : [request.delivery(2)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 9, within: span) == [1])
            #expect(try await brought(by: member, upTo: 9, within: span) == [2])
            #expect(pulls.all.prefix(2).map { Self.bytes($0) } == ["4194301", "4194301"])
        }
    }

    /// The servers of a cluster keep messages back until most of them have them, and say before that
    /// that all have come.
    @Test func whoIsToldThatAllHaveComeBeforeTheyHaveWaitsForThem() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.status("409 Batch Completed", "Nats-Pending-Messages: 0", "Nats-Pending-Bytes: 9")]
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            let looking = Task { try await member.pull(upTo: 2, within: .seconds(0)) }
            let pull = try await pulls.wait { $0.count == 1 }[0]
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(pull.delivery(1, left: 1) + pull.delivery(2))
            #expect(positions(try await looking.value) == [1, 2])
        }
    }

    @Test(arguments: [
        ("409 Server Shutdown", "Nats-Pending-Messages: 1"), ("409 Leadership Change", "Colour: blue"),
    ])
    func whoLooksIsToldThatItsPullHasEndedBeforeItWasAnswered(status: String, field: String) async throws {
        try await with { _ in
            LittleServer.asked { [$0.status(status, field)] }
        } run: { (_, driver) async throws in
            let error = BrokerError.unavailable("the server has ended a pull: \(status.dropFirst(4))")
            await #expect(throws: error) { _ = try await member(driver).pull(upTo: 1, within: .seconds(0)) }
        }
    }

    @Test func whoWaitsAsksAnewWhereTheServerEndsItsPull() async throws {
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

    /// Its subject names the stream and the group, also where it names a domain and an account before them.
    @Test(arguments: ["$JS.ACK.s.g.1.2.2.1.0", "$JS.ACK.hub.ACCOUNT.s.g.1.2.2.1.0.x"])
    func acknowledgementForbiddenMemberFailsPullsAndVerdicts(subject: String) async throws {
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

    @Test func acknowledgementForbiddenWhilePullingFailsThePull() async throws {
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

    @Test func whoMayNotPullIsTold() async throws {
        let words = #"Permissions Violation for Publish to "$JS.API.CONSUMER.MSG.NEXT.s.g""#
        try await with { _ in
            LittleServer.asked { _ in ["-ERR '\(words)'\r\n"] }
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.refused("the server says: \(words)")) {
                _ = try await member(driver).pull(upTo: 1, within: .seconds(20))
            }
            // Where it would have come is given up.
            try await eventually { server.lines.contains("UNSUB 2") }
        }
    }

    @Test func whoTakesWhatIsHereWithoutWaitingAsksForNoMore() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(pulls.all.count)]
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [2])
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(pulls.all.count == 1)
        }
    }

    @Test func whoWaitsAfterALookThatBroughtAllItWantedAsksAnew() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(pulls.all.count)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(0))) == [1])
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [2])
        }
    }

    @Test func whoLooksWhereNothingIsOnItsWayIsToldSo() async throws {
        let pulls = Seen<Request>(), looks = Seen<[UInt64]>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            // One more is asked for, and does not come.
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            let looking = Task { looks.add(positions(try await member.pull(upTo: 2, within: .seconds(0)))) }
            try await looks.wait { $0 == [[]] }
            try await looking.value
        }
    }

    @Test func aWordAboutARequestThatHasEndedEndsNoOther() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [1])
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(20)) }
            let all = try await pulls.wait { $0.count == 2 }
            try await server.say(all[0].status("408 Request Timeout"))
            // Heard by now: who took it for the other one's would ask anew.
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(all[1].delivery(2))
            #expect(positions(try await pulling.value) == [2])
            #expect(pulls.all.count == 2)
        }
    }

    /// The second of two requests ends with what it has not brought; nobody says which messages the first one brings.
    @Test func whatTwoRequestsHaveBroughtAndNotBroughtIsCountedTogether() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                switch pulls.all.count {
                case 1: [request.delivery(1)]
                case 2: [request.delivery(2)]
                case 3: [request.delivery(5), request.status("404 No Messages", "Nats-Pending-Messages: 3")]
                default: [request.delivery(6)]
                }
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            for position in 1...2 as ClosedRange<UInt64> {
                #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [position])
            }
            let last = try #require(pulls.all.last)
            try await server.say(
                last.delivery(3) + last.delivery(4) + last.status("408 Request Timeout", "Nats-Pending-Messages: 1"))
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [3, 4])
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [5])
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [6])
        }
    }

    /// Two requests live, and one ends without a word of what it has not brought.
    @Test func whereARequestEndsWithoutACountAllIsAskedForAnew() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [1])
            let pulling = Task { try await member.pull(upTo: 4, within: .seconds(600)) }
            let all = try await pulls.wait { $0.count == 2 }
            try await server.say(all[0].status("408 Request Timeout"))
            let last = try #require(try await pulls.wait { $0.count == 3 }.last)
            #expect(last.body.contains(#""batch":4"#), "\(last.body)")
            try await server.say(last.delivery(2))
            #expect(positions(try await pulling.value) == [2])
        }
    }

    @Test func whatHasBeenPulledIsKnownForAsLongAsItsDeadline() async throws {
        try await with { _ in
            LittleServer.asked { request in request.subject.contains(".NEXT.") ? [request.delivery(1)] : [] }
        } run: { (_, driver) async throws in
            let pulled = try await member(driver, deadline: .seconds(30)).pull(upTo: 1, within: .seconds(20))
            // As many as make it look for those whose time is over.
            driver.unsettled.add((0..<1_023).map { "\($0)" }, due: .uptimeNanoseconds(0))
            #expect(driver.unsettled.takeAll() == pulled.map(\.token.value))
        }
    }

    @Test func whoPullsAsksAnewWhereTheConnectionIsLost() async throws {
        try await with { connection in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? connection == 0 ? nil : [request.delivery(1)] : []
            }
        } run: { (_, driver) async throws in
            let pulled = try await member(driver).pull(upTo: 1, within: .seconds(20))
            #expect(positions(pulled) == [1])
        }
    }

    @Test func whoPulledWithoutWaitingWhenTheConnectionWasLostAsksAnew() async throws {
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

    /// The first pull is not heard; what it asked for comes when nobody waits for it any longer.
    @Test func afterTwoMissedHeartbeatsItIsAskedAnewAndWhatComesToTheOldAddressIsHandedBack() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            let good = LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.group)] }
                pulls.add(request)
                return pulls.all.count > 1 ? [request.delivery(2)] : []
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                // It had been sent before the server heard of the end.
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

    @Test func aHeartbeatIsAsGoodAsAMessage() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } options: {
            $0.heartbeat = .seconds(1)
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(60)) }
            let pull = try #require(try await pulls.wait { $0.count == 1 }.first)
            // For longer than two that are missed, with more than a second to spare for each.
            for _ in 0..<7 {
                try await Task.sleep(nanoseconds: 500_000_000)
                try await server.say(pull.status("100 Idle Heartbeat"))
            }
            try await server.say(pull.delivery(1))
            #expect(positions(try await pulling.value) == [1])
            #expect(pulls.all.count == 1)
        }
    }

    @Test func whoseGroupIsGoneWithoutAWordIsTold() async throws {
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

    /// A server does not answer a request to a consumer that it is removing.
    @Test func pullThatIsNotAnsweredGroupIsGoneFailsWithMissingSoon() async throws {
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

    @Test func pullThatIsNotAnsweredGroupIsThereWaitsOn() async throws {
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
    func whereNobodyAnswersAPullItIsAskedWhetherTheGroupIsThere(isThere: Bool) async throws {
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

    @Test func whereNobodyAnswersAPullItsAddressIsGivenUp() async throws {
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

    /// What the server has sent before it answers a PING is here.
    @Test func whoPullsWithoutWaitingTakesWhatIsOnItsWay() async throws {
        let pulls = Seen<Request>(), isSent = Mutex(false)
        let server = try await LittleServer.start { _ in
            let good = LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return request.subject.contains(".NEXT.") ? [request.delivery(1)] : []
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                guard line == "PING", let pull = pulls.all.last else { return good.answer(line) }
                let isFirst = isSent.withLock { isSent in
                    defer { isSent = true }
                    return !isSent
                }
                return isFirst ? [pull.delivery(2), "PONG\r\n"] : ["PONG\r\n"]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
        #expect(positions(try await member.pull(upTo: 2, within: .seconds(0))) == [2])
        await driver.close()
        await server.stop()
    }

    @Test func whatWaitedForLongerThanTheDeadlineIsLeftToOthers() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1
                    ? [request.delivery(1)] : [request.status("404 No Messages", "Nats-Pending-Messages: 2")]
            }
        } run: { (server, driver) async throws in
            let member = member(driver, deadline: .seconds(1))
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            try await driver.client.loop.scheduleTask(in: .milliseconds(1_100)) {}.futureResult.get()
            #expect(try await member.pull(upTo: 2, within: .seconds(0)).isEmpty)
        }
    }

    @Test func whatWaitedForLongerThanAMembersOwnDeadlineIsItsForAsLongAsTheGroupsLasts() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.group)] }
                pulls.add(request)
                return pulls.all.count == 1
                    ? [request.delivery(1)] : [request.status("404 No Messages", "Nats-Pending-Messages: 2")]
            }
        } run: { (server, driver) async throws in
            let member = try await driver.join(GroupSettings("g", deadline: .milliseconds(1)), of: "s")
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            try await driver.client.loop.scheduleTask(in: .milliseconds(2)) {}.futureResult.get()
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(0))) == [2])
        }
    }

    @Test func whoLeavesDoesNotHandBackWhatHasWaitedForLongerThanTheDeadline() async throws {
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

    @Test func aPullEndsWhenItsMemberLeavesAndWhenTheBrokerIsClosed() async throws {
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

    @Test func whoLeavesHandsBackWhatIsHereAndWhatIsOnItsWay() async throws {
        let pulls = Seen<Request>()
        let server = try await LittleServer.start { _ in
            // It had been sent before the server heard of the end.
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

    /// A server that still knows of a pull might give it what is handed back, and forget it then.
    @Test func whoPullsNoMoreHandsBackNothingBeforeTheServerHasForgottenItsPull() async throws {
        let pulls = Seen<Request>(), probes = Seen<Request>()
        let probe = String(decoding: PullInbox.probe, as: UTF8.self)
        let server = try await LittleServer.start { _ in
            let reading = Self.pulled(into: pulls) { [$0.delivery(1)] }
            return LittleServer.Script(greeting: reading.greeting) { line in
                let answer = reading.answer(line)
                if line != probe { return answer }
                // It is answered later.
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
        // What it has pulled it may settle.
        try await member.settle([Verdict(MessageToken("$JS.ACK.s.g.1.1.1.1.0"), .done)])
        await member.leave()
        #expect(probes.all.count == 1)
        await driver.close()
        await server.stop()
    }

    /// It has asked to know whether its pull is forgotten, and is given a message instead.
    @Test func whatComesToWhoLeavesInsteadOfAnAnswerIsHandedBack() async throws {
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

    @Test func whatIsHereIsReturnedAlsoWhileThereIsNoConnection() async throws {
        let pulls = Seen<Request>()
        try await with { connection in
            // There is no other connection.
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

    /// What a pull brings. One that does not end is cancelled.
    private func brought(by member: NATSMember, upTo count: Int, within span: RxTimeInterval) async throws -> [UInt64] {
        let ends = Seen<[UInt64]>()
        let pulling = Task { ends.add(positions(try await member.pull(upTo: count, within: span))) }
        defer { pulling.cancel() }
        return try await ends.wait { !$0.isEmpty }.first ?? []
    }

    @Test(arguments: ["Nats-Pending-Messages: 1", "Colour: blue"])
    func whoIsToldThatNothingIsThereIsDoneAtOnceAndAsksAgain(field: String) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [pulls.all.count == 1 ? request.status("404 No Messages", field) : request.delivery(1)]
            }
        } options: {
            $0.requestTimeout = .seconds(600)
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(0)).isEmpty)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test func whatWasAskedOnAnOldConnectionIsForgotten() async throws {
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

    @Test func whatIsHereIsReturnedAlsoWhereMoreIsHeldBack() async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? [request.delivery(1, left: 5)] : []
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 4, within: .seconds(600)) == [1])
        }
    }

    @Test func whoGetsNothingIsDoneAfterItsSpan() async throws {
        try await with { _ in
            LittleServer.asked { _ in [] }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .milliseconds(60)).isEmpty)
        }
    }

    @Test(arguments: [("409 Exceeded MaxWaiting", "Exceeded MaxWaiting"), ("503", "no responders for g of stream s")])
    func whatTheServerHasAgainstAPullIsToldOnce(status: String, why: String) async throws {
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

    /// A pull as short as this has no heartbeats: it is forgotten a second after its end.
    @Test func pullThatIsSilentOnceIsAskedAnewAtItsGroup() async throws {
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
            // It was asked once whether the group is there, when there was no sign of life, and not after the silence.
            #expect(asked.all.count { $0.contains(".INFO.") } == 1)
        }
    }

    @Test func whatTheServerSaysToAnOldAddressIsNotHeeded() async throws {
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

    @Test func whoIsToldThatOneOfItsPullsIsLostAsksAnewAtAnotherAddress() async throws {
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
            // It does not say how many messages it has not brought.
            try await server.say(pulls.all[0].status("408 Request Timeout"))
            let last = try #require(try await pulls.wait { $0.count == 3 }.last)
            #expect(last.sid != pulls.all[0].sid)
            try await eventually { server.lines.contains { $0.hasPrefix("UNSUB \(pulls.all[0].sid)") } }
            try await server.say(last.delivery(2))
            #expect(positions(try await second.value) == [2])
        }
    }

    @Test func aMessageIsAsGoodAsAHeartbeat() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } options: {
            $0.heartbeat = .seconds(1)
        } run: { (server, driver) async throws in
            let member = member(driver)
            // For longer than two that are missed, with more than a second to spare for each.
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

    @Test func whatIsHereAlreadyIsNotAskedFor() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [1])
            let pull = try #require(pulls.all.first)
            for position in 2...4 { try await server.say(pull.delivery(position)) }
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [2])
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(pulls.all.count == 1)
        }
    }

    @Test func whoHasLeftGetsNothingMore() async throws {
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

    @Test func whoHasLeftAndWaitsIsRefused() async throws {
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

    @Test func aPullThatWaitsForNothingIsToldThatTheBrokerIsClosed() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            // The driver does not know it, and so does not have it leave.
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

    @Test func aMemberThatIsLetGoEndsItsSubscription() async throws {
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

    @Test func aMessageMayHaveAStatusOfItsOwn() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                let block = "NATS/1.0 404 Not Here\r\n\r\n"
                let size = block.utf8.count
                return ["HMSG s \(request.sid) $JS.ACK.s.g.1.1.1.1.0 \(size) \(size + 1)\r\n\(block)x\r\n"]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    /// Its payload is empty, so that only the reply subject distinguishes it from a status of the server.
    @Test(arguments: ["100 Idle Heartbeat", "404 No Messages", "408 Request Timeout", "409 Consumer Deleted", "503"])
    func emptyMessageWithStatusPulledIsDelivered(status: String) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? [request.delivery(1, status: status)] : []
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test func emptyMessageWithStatusReadIsReadAndSoIsTheNext() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                return [request.delivery(1, status: "100 Idle", left: 1), request.delivery(2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(1), limit: 2, within: .seconds(20))
            #expect(read.map(\.position.number) == [1, 2])
        }
    }

    @Test func messageThatNoConsumerDeliveredPulledIsNotCountedAsOne() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                return ["MSG \(request.reply) \(request.sid) elsewhere 1\r\nx\r\n", request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await member(driver).pull(upTo: 1, within: .seconds(600)).map(\.stored.position.number) == [1])
        }
    }

    @Test func aSignOfLifeThatWantsAnAnswerIsNoMessage() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                let block = "NATS/1.0 100 FlowControl Request\r\n\r\n"
                let size = block.utf8.count
                let sign = "HMSG \(request.reply) \(request.sid) $JS.FC.s.g \(size) \(size)\r\n\(block)\r\n"
                return [sign, request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    // MARK: Live messages and cells

    /// Or to one that is too long.
    @Test(arguments: [(" b", 1), ("a", 2_048)])
    func whoListensToNoSubjectIsRefused(end: String, count: Int) async throws {
        let pattern = "a" + String(repeating: end, count: count)
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let ends = Seen<String>()
            let listening = driver.messages(on: pattern).subscribe(
                onError: { ends.add($0 is BrokerError ? "refused" : "\($0)") }, onCompleted: { ends.add("completed") })
            try await ends.wait { $0 == ["refused"] }
            #expect(!server.lines.contains { $0.hasPrefix("SUB a") })
            listening.dispose()
        }
    }

    /// Answers what is asked about the bucket of cells as a server that has it.
    private static func bucket(_ request: Request) -> [String]? {
        request.subject.hasPrefix("$JS.API.STREAM.") ? [request.answer(stream())] : nil
    }

    @Test func aCellThatHasAnotherRevisionIsAConflict() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return Self.bucket(request) ?? [request.error(400, 10_071, "wrong last sequence: 7")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.conflict) { _ = try await driver.store([1], in: "c", expecting: 6) }
        }
        let sent = asked.all.first { $0.subject == "$KV.rx-relays.c" }
        #expect(sent?.headers.contains("Nats-Expected-Last-Subject-Sequence: 6") == true)
    }

    /// Answers as a server whose cell has revision 7.
    private static func seventh(_ message: String) -> LittleServer.Script {
        LittleServer.asked { request in
            if request.subject.contains(".MSG.GET.") { return [request.answer(#"{"message":{"seq":7,\#(message)}}"#)] }
            if let answer = bucket(request) { return answer }
            return request.headers.contains("Nats-Expected-Last-Subject-Sequence: 7")
                ? [request.answer(#"{"stream":"KV_rx-relays","seq":8}"#)]
                : [request.error(400, 10_071, "wrong last sequence: 7")]
        }
    }

    @Test func aCellThatAnotherProgramHasDeletedTakesAFirstValue() async throws {
        try await with { _ in
            // NATS/1.0, and KV-Operation: DEL.
            Self.seventh(#""hdrs":"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==""#)
        } run: { (_, driver) async throws in
            #expect(try await driver.store([1], in: "c", expecting: 0) == 8)
        }
    }

    @Test func aCellThatHasAValueTakesNoFirstOne() async throws {
        try await with { _ in
            Self.seventh(#""data":"AQI=""#)
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.conflict) { _ = try await driver.store([1], in: "c", expecting: 0) }
        }
    }

    @Test func theFirstRevisionOfACellIsOne() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.answer(#"{"stream":"KV_rx-relays","seq":1}"#)]
            }
        } run: { (_, driver) async throws in
            #expect(try await driver.store([1], in: "c", expecting: nil) == 1)
        }
    }

    @Test func theBucketOfCellsIsMadeAnewWhereItIsGone() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                let isFirst = asked.all.filter { $0 == request.subject }.count == 1
                return [isFirst ? request.status("503") : request.answer(#"{"stream":"KV_rx-relays","seq":7}"#)]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.unavailable("JetStream does not answer")) {
                _ = try await driver.store([1], in: "c", expecting: nil)
            }
            #expect(try await driver.store([1], in: "c", expecting: nil) == 7)
        }
        #expect(asked.all.filter { $0 == "$JS.API.STREAM.INFO.KV_rx-relays" }.count == 2)
    }

    @Test(arguments: [
        (#""seq":7,"data":"AQI=""#, CellValue([1, 2], revision: 7)),
        (#""seq":7"#, CellValue([], revision: 7)),
        // NATS/1.0, and A: b.
        (#""seq":7,"hdrs":"TkFUUy8xLjANCkE6IGINCg0K","data":"AQI=""#, CellValue([1, 2], revision: 7)),
        // NATS/1.0, and KV-Operation: DEL.
        (#""seq":7,"hdrs":"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==""#, nil),
    ])
    func aCellHoldsWhatWasStoredLastUnlessThatWasAMark(message: String, value: CellValue?) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".MSG.GET.")
                    ? [request.answer(#"{"message":{\#(message)}}"#)] : Self.bucket(request)
            }
        } run: { (_, driver) async throws in
            #expect(try await driver.load("c") == value)
        }
    }

    /// Answers as a server that has the bucket, and the first pull by what its consumer delivers.
    private static func watched(_ deliver: @escaping @Sendable (Request) -> [String]) -> LittleServer.Script {
        let isSent = Mutex(false)
        return LittleServer.asked { request in
            if let answer = bucket(request) { return answer }
            if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(consumer)] }
            guard request.subject.contains(".NEXT."), !isSent.withLock({ $0 }) else { return [] }
            isSent.withLock { $0 = true }
            return deliver(request)
        }
    }

    @Test func whoWatchesACellGetsNoMarkAndNothingTwice() async throws {
        try await with { connection in
            Self.watched { request in
                // The second connection's consumer begins with what was the last one.
                if connection > 0 { return [request.delivery(5, number: 1, left: 1), request.delivery(6, number: 2)] }
                let mark = "NATS/1.0\r\nKV-Operation: DEL\r\n\r\n"
                let size = mark.utf8.count
                return [
                    request.delivery(3, number: 1, left: 2),
                    "HMSG s \(request.sid) $JS.ACK.s.g.1.4.2.1.1 \(size) \(size)\r\n\(mark)\r\n",
                    request.delivery(5, number: 3),
                ]
            }
        } run: { (server, driver) async throws in
            let revisions = Seen<UInt64>()
            let watching = driver.values(of: "c").subscribe(onNext: { revisions.add($0.revision) })
            try await revisions.wait { $0.count == 2 }
            await server.drop()
            try await revisions.wait { $0.last == 6 }
            #expect(revisions.all == [3, 5, 6])
            watching.dispose()
        }
    }

    /// Its server has lost the last values with its power, or its bucket has been made anew.
    @Test(arguments: [CellValue(Array("x".utf8), revision: 2), CellValue(Array("y".utf8), revision: 5)])
    func whoWatchesACellSeesItAlsoWhereItsRevisionsBeginAgain(value: CellValue) async throws {
        let text = String(decoding: value.payload, as: UTF8.self)
        try await with { connection in
            Self.watched { request in
                if connection == 0 { return [request.delivery(5, number: 1)] }
                let delivery = request.delivery(Int(value.revision), number: 1)
                return [delivery.replacing("\r\nx\r\n", with: "\r\n\(text)\r\n")]
            }
        } run: { (server, driver) async throws in
            let values = Seen<CellValue>()
            let watching = driver.values(of: "c").subscribe(onNext: { values.add($0) })
            try await values.wait { $0.count == 1 }
            await server.drop()
            try await values.wait { $0.count == 2 }
            #expect(values.all == [CellValue(Array("x".utf8), revision: 5), value])
            watching.dispose()
        }
    }

    @Test func whoWatchesACellMakesTheBucketAnewWhereItIsGone() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                guard request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") else { return [] }
                let isFirst = asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1
                return [isFirst ? request.error(404, 10_059, "stream not found") : request.answer(Self.consumer)]
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            watching.dispose()
        }
        #expect(asked.all.filter { $0 == "$JS.API.STREAM.INFO.KV_rx-relays" }.count == 2)
    }

    @Test func whoWatchesACellNoLongerHasTheServerForgetIt() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            watching.dispose()
            try await asked.wait { $0.contains { $0.hasPrefix("$JS.API.CONSUMER.DELETE.") } }
        }
    }

    @Test func whoMayNotWatchACellIsTold() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.error(403, 10_000, "not allowed")]
            }
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            let watching = driver.values(of: "c").subscribe(onError: { ends.add("\($0)") })
            try await ends.wait { $0 == ["the broker refused the operation: not allowed"] }
            watching.dispose()
        }
    }

    @Test(arguments: ["*", ">", "a b", "", "a\r\nPUB x 0"])
    func whatIsNoWordIsNoNameOfACell(cell: String) async throws {
        try await with { _ in
            LittleServer.asked { request in Self.bucket(request) }
        } run: { (server, driver) async throws in
            let refused = BrokerError.refused("\(cell.debugDescription) is not a valid name of a cell")
            await #expect(throws: refused) { _ = try await driver.load(cell) }
            await #expect(throws: refused) { _ = try await driver.store([1], in: cell, expecting: nil) }
            #expect(!server.lines.contains { $0.hasPrefix("PUB") || $0.hasPrefix("HPUB") })
        }
    }

    @Test func theBucketOfCellsIsMadeOnceAndKeepsOneValueOfEach() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.contains(".CREATE.") { return [request.answer(Self.stream())] }
                return [request.error(404, 10_037, "no message found")]
            }
        } run: { (_, driver) async throws in
            for _ in 0..<2 { #expect(try await driver.load("c") == nil) }
        }
        #expect(
            asked.all.map(\.subject) == [
                "$JS.API.STREAM.INFO.KV_rx-relays", "$JS.API.STREAM.CREATE.KV_rx-relays",
                "$JS.API.STREAM.MSG.GET.KV_rx-relays", "$JS.API.STREAM.MSG.GET.KV_rx-relays",
            ])
        let body = asked.all.first { $0.subject.contains(".CREATE.") }?.body ?? ""
        for field in [
            #""allow_direct":false,"#, #""allow_rollup_hdrs":true,"#, #""deny_delete":true,"#, #""discard":"new","#,
            #""max_msgs_per_subject":1,"#, #""name":"KV_rx-relays","#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test func whyAValueIsNotStoredIsTold() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.error(400, 10_077, "maximum bytes exceeded")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused("maximum bytes exceeded")) {
                _ = try await driver.store([1], in: "c", expecting: 6)
            }
        }
    }

    @Test func whoWatchesACellReadsOnByOneConsumerFromTheFirstMessageOn() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (server, driver) async throws in
            let revisions = Seen<UInt64>()
            let watching = driver.values(of: "c").subscribe(onNext: { revisions.add($0.revision) })
            let all = try await asked.wait { $0.contains { $0.subject.contains(".NEXT.") } }
            let pull = try #require(all.first { $0.subject.contains(".NEXT.") })
            try await server.say(pull.delivery(1))
            try await revisions.wait { $0 == [1] }
            try await server.say(pull.delivery(2))
            try await revisions.wait { $0 == [1, 2] }
            #expect(asked.all.filter { $0.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1)
            watching.dispose()
        }
    }

    @Test func whoWatchesACellIsDoneWhenTheBrokerIsClosed() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            let watching = driver.values(of: "c").subscribe(
                onError: { ends.add("\($0)") }, onCompleted: { ends.add("completed") })
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            await driver.close()
            try await ends.wait { $0 == ["completed"] }
            watching.dispose()
        }
    }

    /// It begins with a twentieth of a second, and each pause is twice the one before.
    @Test func whoWatchesACellThatCannotBeReadAsksLessAndLessOften() async throws {
        let attempts = Seen<NIODeadline>()
        try await with { _ in
            LittleServer.asked { request in
                if let answer = Self.bucket(request) { return answer }
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { attempts.add(.now()) }
                return [request.error(500, 10_023, "insufficient resources")]
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            let all = try await attempts.wait(10) { $0.count >= 5 }
            #expect(all[4] - all[0] >= .milliseconds(700))
            watching.dispose()
        }
    }

    // MARK: Answers

    @Test(arguments: ["", "{}", #"{"a":1}"#, #""seq""#, #"{"seq""#, #"{"seq":"#, #"{"seq": "#, #"{"seq": }"#])
    func whatIsNoAnswerOrEndsTooEarlyIsNone(text: String) {
        #expect(PublishAnswer(Array(text.utf8)) == nil)
    }

    @Test func aNumberEndsWithItsAnswerAndWithTheDigitsThatAPositionHas() {
        #expect(PublishAnswer(Array(#"{"seq":7"#.utf8))?.position == 7)
        let most: UInt64 = 9_999_999_999_999_999_999
        #expect(PublishAnswer(Array(#"{"seq":99999999999999999999}"#.utf8))?.position == most)
    }

    @Test func whateverFollowsADeliveryIsLeftOut() {
        let reply = "$JS.ACK.hub.acc.s.c.2.7.9.1.3"
        let trace = DeliveryTrace(reply + String(repeating: ".9", count: 200))
        #expect(trace == DeliveryTrace(reply))
        #expect(trace?.position == 7)
    }

    @Test func aReplyOfAsManyWordsIsNoDelivery() {
        #expect(DeliveryTrace("$JS.FC.s.g.1.7.7.1.0") == nil)
    }

    @Test func aMomentThatATimeCanSayIsThatTime() {
        for seconds in [1, 1_700_000_000] as [UInt64] {
            let time = JetStream.time(nanoseconds: seconds * 1_000_000_000)
            #expect(time == Date(timeIntervalSince1970: Double(seconds)))
        }
    }
}
