import Foundation
import NIOCore
import RxStreams
import RxSwift
import Synchronization
import Testing

@testable import RxStreamsNATS

/// What JetStream is asked, and what is made of its answers; without a server.
@Suite struct JetStreamTests {
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
        driver.add(member)
        return member
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
        (#"["s.*"]"#, BrokerError.unavailable("the stream does not answer")),
        (#"["t.*"]"#, BrokerError.refused("'s.a' is no subject of stream s")),
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
                await #expect(throws: BrokerError.refused("\(name.debugDescription) is no name of a stream")) {
                    _ = try await driver.summary(of: name)
                }
            }
            await #expect(throws: BrokerError.refused("\"a.b\" is no name of a group")) {
                try await driver.remove(group: "a.b", of: "s")
            }
            #expect(!server.lines.contains { $0.hasPrefix("PUB $JS.API") })
            let longest = String(repeating: "a", count: 255)
            await #expect(throws: BrokerError.missing("stream \(longest)")) {
                _ = try await driver.summary(of: longest)
            }
        }
    }

    @Test func whatIsDoneWithAGroupOfNoStreamIsRefusedAndNothingIsAsked() async throws {
        try await with { _ in
            LittleServer.asked { request in [request.error(404, 10_059, "stream not found")] }
        } run: { (server, driver) async throws in
            let error = BrokerError.refused("\"a.b\" is no name of a stream")
            await #expect(throws: error) { _ = try await driver.join(GroupSettings("g"), of: "a.b") }
            await #expect(throws: error) { try await driver.remove(group: "g", of: "a.b") }
            await #expect(throws: error) { _ = try await driver.summary(of: "g", in: "a.b") }
            #expect(!server.lines.contains { $0.hasPrefix("PUB $JS.API") })
        }
    }

    @Test func whatTheServerHasAgainstAMessageIsItsError() async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject == "s.a"
                    ? [request.error(400, 10_054, "message size exceeds maximum allowed")]
                    : [request.answer(Self.stream(#""subjects":["s.*"]"#))]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused("message size exceeds maximum allowed")) {
                _ = try await driver.append([NewMessage("s.a", [1])], to: "s")
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

    // MARK: Reading

    @Test func whoAsksForNoMessageIsRefused() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.refused("a read of 0 messages")) {
                _ = try await driver.read("s", from: Position(1), limit: 0, within: .seconds(1))
            }
            await #expect(throws: BrokerError.refused("a pull of 0 messages")) {
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

    @Test func ofManyReadersTheOldestIsEnded() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (server, driver) async throws in
            for position in 1...17 as ClosedRange<UInt64> {
                _ = try await driver.read("s", from: Position(position), limit: 1, within: .seconds(0))
            }
            try await eventually { server.lines.contains { $0.hasPrefix("PUB $JS.API.CONSUMER.DELETE.s.") } }
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
            _ = try await driver.join(GroupSettings("g", deadline: .seconds(5)), of: "s")
        }
        #expect(asked.all.map(\.subject) == ["$JS.API.CONSUMER.INFO.s.g", "$JS.API.CONSUMER.DURABLE.CREATE.s.g"])
        #expect(asked.all.last?.body.contains(#""ack_wait":5000000000"#) == true, "\(asked.all)")
    }

    // MARK: Pulls

    @Test func whatIsOnItsWayIsNeverMoreThanAPullWants() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return []
            }
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

    @Test func whoTakesWhatIsHereWithoutWaitingAsksForNoMore() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(pulls.all.count)]
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
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(pulls.all.count)]
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
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(1)]
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
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [1])
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(20)) }
            let all = try await pulls.wait { $0.count == 2 }
            try await server.say(all[0].status("408 Request Timeout"))
            try await server.say(all[1].delivery(2))
            #expect(positions(try await pulling.value) == [2])
            #expect(pulls.all.count == 2)
        }
    }

    /// Two requests live, and one ends without a word of what it has not brought.
    @Test func whereARequestEndsWithoutACountAllIsAskedForAnew() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return pulls.all.count == 1 ? [request.delivery(1)] : []
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
            LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return []
            }
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
                ? BrokerError.unavailable("nobody answers for g of stream s") : .missing("group g of stream s")
            await #expect(throws: error) { _ = try await member(driver).pull(upTo: 1, within: .seconds(20)) }
        }
    }

    @Test func whereNobodyAnswersAPullItsAddressIsGivenUp() async throws {
        try await with { _ in
            LittleServer.asked { request in
                [request.subject.contains(".NEXT.") ? request.status("503") : request.answer(Self.group)]
            }
        } run: { (server, driver) async throws in
            await #expect(throws: BrokerError.unavailable("nobody answers for g of stream s")) {
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
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return pulls.all.count == 1
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

    @Test func aPullEndsWhenItsMemberLeavesAndWhenTheBrokerIsClosed() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return []
            }
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
        let pulls = Seen<Request>(), isLeaving = Mutex(false)
        let server = try await LittleServer.start { _ in
            let good = LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(1)]
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                if line.hasPrefix("UNSUB") { isLeaving.withLock { $0 = true } }
                guard line == "PING", isLeaving.withLock({ $0 }), let pull = pulls.all.last else {
                    return good.answer(line)
                }
                // It had been sent before the server heard of the end.
                return [pull.delivery(3), "PONG\r\n"]
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

    @Test func whoClosesHandsBackWhatIsHereForItsMembers() async throws {
        let pulls = Seen<Request>()
        let server = try await LittleServer.start { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                pulls.add(request)
                return [request.delivery(1)]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
        try await server.say(try #require(pulls.all.first).delivery(2))
        try await driver.client.roundTrip(within: .seconds(20))
        await driver.close()
        try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
        #expect((1...2).allSatisfy { server.lines.contains("PUB $JS.ACK.s.g.1.\($0).\($0).1.0 4") })
        withExtendedLifetime(member) {}
        await server.stop()
    }

    @Test func whatIsHereIsReturnedAlsoWhileThereIsNoConnection() async throws {
        let pulls = Seen<Request>()
        try await with { connection in
            // There is no other connection.
            connection > 0
                ? LittleServer.Script(closes: true)
                : LittleServer.asked { request in
                    guard request.subject.contains(".NEXT.") else { return [] }
                    pulls.add(request)
                    return [request.delivery(1)]
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

    // MARK: Live messages and cells

    @Test func whoListensToNoSubjectIsRefused() async throws {
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let ends = Seen<String>()
            let listening = driver.messages(on: "a b").subscribe(
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

    @Test func whoWatchesACellGetsNoMarkAndNothingTwice() async throws {
        try await with { connection in
            let isSent = Mutex(false)
            return LittleServer.asked { request in
                if let answer = Self.bucket(request) { return answer }
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                guard request.subject.contains(".NEXT."), !isSent.withLock({ $0 }) else { return [] }
                isSent.withLock { $0 = true }
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
            try await ends.wait { $0 == ["the broker refuses it: not allowed"] }
            watching.dispose()
        }
    }
}
