import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsSQLite

@Suite(.serialized)
struct StreamTests {
    @Test func positionsCountFromOneWithoutGapsAcrossRestart() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        #expect(try await bench.driver.append(["a", "b"]).map(\.position.number) == [1, 2])
        await bench.driver.close()
        let again = try bench.other()
        try await again.ensure(StreamSettings("orders"))
        #expect(try await again.append(["c"]).map(\.position.number) == [3])
        #expect(try await again.texts() == ["a", "b", "c"])
    }

    @Test func messageIsReadUnchanged() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
        let message = NewMessage("orders.new.de", [0, 255, 10], id: "ä'\"", headers: ["a": "1\n2", "": "ü"])
        _ = try await bench.driver.append([message, NewMessage("orders.x", [])], to: "orders")
        let read = try await bench.driver.read("orders", from: Position(1), limit: 9, within: .seconds(0))
        #expect(read.map(\.message) == [message, NewMessage("orders.x", [])])
        #expect(read.allSatisfy { $0.time == bench.clock.now() })
    }

    @Test func largeMessagesAreReadInFewMiB() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        for number in 1...10 {
            let payload = [UInt8](repeating: UInt8(number), count: 1 << 20)
            _ = try await bench.driver.append([NewMessage("orders", payload)], to: "orders")
        }
        var positions: [[UInt64]] = []
        while positions.joined().count < 10 {
            let next = Position((positions.last?.last ?? 0) + 1)
            positions.append(
                try await bench.driver.read("orders", from: next, limit: 256, within: .seconds(0))
                    .map(\.position.number))
        }
        #expect(positions == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    }

    @Test func duplicateIDWithinWindowIsStoredOnce() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(10)))
        let message = NewMessage("orders", [1], id: "x")
        #expect(
            try await bench.driver.append([message, message], to: "orders")
                == [Receipt(Position(1)), Receipt(Position(1), isDuplicate: true)])
        bench.clock.advance(9)
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(1), isDuplicate: true)])
        bench.clock.advance(2)
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(2))])
        // The new copy restarts the duplicate window.
        bench.clock.advance(9)
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(2), isDuplicate: true)])
    }

    @Test func idsWithNULAreComparedWhole() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        let ids = ["acme", "acme\0one", "acme\0two", "\0"]
        let messages = ids.map { NewMessage("orders", [], id: $0) }
        let receipts = try await bench.driver.append(messages + messages, to: "orders")
        #expect(receipts.map(\.position.number) == [1, 2, 3, 4, 1, 2, 3, 4])
        let read = try await bench.driver.read("orders", from: Position(1), limit: 9, within: .seconds(0))
        #expect(read.map(\.message.id) == ids)
    }

    @Test func idIsForgottenAfterWindow() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(10)))
        let message = NewMessage("orders", [1], id: "x")
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(1))])
        bench.clock.advance(10)
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(2))])
    }

    @Test func idIsRememberedAcrossRestart() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        _ = try await bench.driver.append([NewMessage("orders", [1], id: "x")], to: "orders")
        let receipts = try await bench.other().append([NewMessage("orders", [1], id: "x")], to: "orders")
        #expect(receipts == [Receipt(Position(1), isDuplicate: true)])
    }

    @Test func onlyIDsWithinWindowStayInFile() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(1)))
        for round in 0..<20 {
            let batch = (0..<10).map { NewMessage("orders", [], id: "\(round)-\($0)") }
            _ = try await bench.driver.append(batch, to: "orders")
            bench.clock.advance(2)
        }
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM recent_ids") } == 10)
    }

    @Test func retentionByCountKeepsLastMessages() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(3)))
        try await bench.driver.append(["a", "b", "c", "d", "e"])
        #expect(try await bench.driver.texts() == ["c", "d", "e"])
        #expect(
            try await bench.driver.summary(of: "orders")
                == StreamSummary(first: Position(3), last: Position(5), count: 3))
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM messages") } == 3)
    }

    @Test func removedMessagesLeaveFileOneByOne() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(1)))
        for text in ["a", "b", "c"] {
            try await bench.driver.append([text])
            #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM messages") } == 1)
        }
    }

    @Test func retentionByBytesRefusesLargerMessage() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: Retention(bytes: 10)))
        try await bench.driver.append(["aaaa", "bbbb", "cc", "d"])
        #expect(try await bench.driver.texts() == ["bbbb", "cc", "d"])
        try await bench.driver.append(["0123456789"])
        #expect(try await bench.driver.texts() == ["0123456789"])
        await #expect(throws: BrokerError.self) { try await bench.driver.append(["0123456789+"]) }
        #expect(try await bench.driver.texts() == ["0123456789"])
    }

    @Test func messagesRemovedByCountFreeBytes() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(2)))
        try await bench.driver.append(["aaaa", "bbbb", "cccc", "dddd"])
        try await bench.driver.ensure(StreamSettings("orders", keeping: Retention(bytes: 10)))
        try await bench.driver.append(["ee"])
        #expect(try await bench.driver.texts() == ["cccc", "dddd", "ee"])
    }

    @Test func narrowestOfSeveralBoundsApplies() async throws {
        let bench = try Bench()
        let bounds = Retention(age: .seconds(100), count: 2, bytes: 10)
        try await bench.driver.ensure(StreamSettings("orders", keeping: bounds))
        try await bench.driver.append(["aa", "bb", "cc", "dd", "ee", "f"])
        #expect(try await bench.driver.texts() == ["ee", "f"])
        try await bench.driver.append(["123456789"])
        #expect(try await bench.driver.texts() == ["f", "123456789"])
        bench.clock.advance(101)
        #expect(try await bench.driver.texts().isEmpty)
    }

    @Test func expiredMessagesAreHiddenAtOnceAndRemovedByNextAppend() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(10))))
        try await bench.driver.append(["a", "b"])
        bench.clock.advance(6)
        try await bench.driver.append(["c"])
        bench.clock.advance(5)
        #expect(try await bench.driver.texts() == ["c"])
        #expect(try await bench.driver.summary(of: "orders").count == 1)
        try await bench.driver.append(["d"])
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM messages") } == 2)
    }

    @Test func narrowerBoundRemovesAtOnce() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        for _ in 0..<12 { try await bench.driver.append((0..<1_000).map { "\($0)" }) }
        try await bench.driver.ensure(StreamSettings("orders", keeping: Retention(bytes: 21)))
        #expect(try await bench.driver.texts() == (993...999).map { "\($0)" })
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM messages") } == 7)
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT bytes FROM streams") } == 21)
    }

    @Test func batchWithForeignSubjectIsRefusedWhole() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
        let batch = [NewMessage("orders.new", []), NewMessage("bills.new", [])]
        await #expect(throws: BrokerError.refused("'bills.new' is not a subject of stream orders")) {
            try await bench.driver.append(batch, to: "orders")
        }
        #expect(try await bench.driver.summary(of: "orders").last == Position(0))
    }

    @Test func streamIsCopiedWholeAndOnlyOnce() async throws {
        let (bench, place) = (try Bench(), try Folder())
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
        for (text, id) in [("a", "x"), ("b", "x"), ("c", "4"), ("d", nil)] {
            let message = NewMessage("orders.\(text)", [UInt8](text.utf8), id: id)
            _ = try await bench.driver.append([message], to: "orders")
            bench.clock.advance(121)
        }
        let (file, broker) = (FileBroker(driver: bench.driver), try SQLiteBroker(path: place.file))
        for _ in 1...2 {
            let old = file.stream("orders", of: [UInt8].self, codec: .bytes, subjects: ["orders.>"])
            let new = broker.stream(
                "orders", of: Record<[UInt8]>.self,
                codec: Codec(encode: { $0.element }, decode: { _ in throw BrokerError.refused("it is only written") }),
                subjects: ["orders.>"], keeping: .days(7))
            let copies = old.replay(from: .beginning, live: false)
                .publish(
                    to: new, id: { "orders:\($0.position)" + ($0.id.map { ":\($0)" } ?? "") }, subject: \.subject)
            for try await _ in copies.values(buffering: .pausing(8)) {}
        }
        let copied = try await broker.driver.read("orders", from: Position(1), limit: 10, within: .seconds(0))
        #expect(copied.map(\.text) == ["a", "b", "c", "d"])
        #expect(copied.map(\.message.subject) == ["orders.a", "orders.b", "orders.c", "orders.d"])
        #expect(copied.map(\.message.id) == ["orders:1:x", "orders:2:x", "orders:3:4", "orders:4"])
        await broker.close()
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources")
        let page = try String(
            contentsOf: sources.appendingPathComponent("RxStreams/RxStreams.docc/FromSQLiteToNATS.md"), encoding: .utf8)
        #expect(
            page.contains(#"id: { "orders:\($0.position)" + ($0.id.map { ":\($0)" } ?? "") }, subject: \.subject)"#))
    }

    @Test func existingStreamTakesNewSubjects() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["bills.*"]))
        try await bench.driver.append(["a"], subject: "bills.new")
        await #expect(throws: BrokerError.self) { try await bench.driver.append(["b"], subject: "orders.new") }
    }

    @Test func existingStreamTakesNewAge() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a"])
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(10))))
        bench.clock.advance(11)
        #expect(try await bench.driver.texts().isEmpty)
    }

    @Test func existingStreamTakesNewCount() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a", "b"])
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(1)))
        #expect(try await bench.driver.texts() == ["b"])
    }

    @Test func existingStreamTakesNewWindow() async throws {
        let bench = try Bench()
        let message = NewMessage("orders", [1], id: "x")
        try await bench.driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(100)))
        _ = try await bench.driver.append([message], to: "orders")
        try await bench.driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(10)))
        bench.clock.advance(11)
        #expect(try await bench.driver.append([message], to: "orders") == [Receipt(Position(2))])
    }

    @Test func appendToPatternIsRefused() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
        for subject in ["orders.*", "orders.>"] {
            await #expect(throws: BrokerError.self) { try await bench.driver.append(["a"], subject: subject) }
        }
        #expect(try await bench.driver.summary(of: "orders").last == Position(0))
    }

    @Test func overlappingSubjectsOfTwoStreamsAreRefused() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
        await #expect(throws: BrokerError.self) {
            try await bench.driver.ensure(StreamSettings("other", subjects: ["*.new"]))
        }
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
    }

    @Test func unknownStreamIsMissing() async throws {
        let bench = try Bench()
        await #expect(throws: BrokerError.missing("stream orders")) { try await bench.driver.append(["a"]) }
        await #expect(throws: BrokerError.missing("stream orders")) {
            try await bench.driver.join(GroupSettings("billing"), of: "orders")
        }
        try await bench.driver.remove(stream: "orders")
    }

    @Test func streamNameWithNULIsDistinctFromItsPrefix() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        _ = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        try await bench.driver.remove(stream: "orders\0x")
        try await bench.driver.remove(group: "billing\0x", of: "orders")
        try await bench.driver.remove(group: "billing", of: "orders\0x")
        #expect(try await bench.driver.summary(of: "billing", in: "orders").lag == 0)
        await #expect(throws: BrokerError.missing("stream orders\0x")) {
            try await bench.driver.summary(of: "orders\0x")
        }
        await #expect(throws: BrokerError.missing("group billing\0x of stream orders")) {
            try await bench.driver.summary(of: "billing\0x", in: "orders")
        }
    }

    @Test func removedStreamStartsAgain() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        _ = try await bench.driver.append([NewMessage("orders", [1], id: "x")], to: "orders")
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        let old = try await member.take()
        try await bench.driver.remove(stream: "orders")
        try await bench.driver.ensure(StreamSettings("orders"))
        #expect(
            try await bench.driver.append([NewMessage("orders", [2], id: "x")], to: "orders") == [Receipt(Position(1))])
        let other = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        #expect(try await other.take().map(\.shown) == ["1:1"])
        try await other.settle(old, .done)
        #expect(try await bench.driver.summary(of: "billing", in: "orders").unsettled == 1)
        await #expect(throws: BrokerError.self) { try await member.take() }
    }

    @Test func replayPausedWhileStreamIsRecreatedEnds() async throws {
        let bench = try Bench()
        let orders = FileBroker(driver: bench.driver).stream("orders", of: Int.self)
        try await orders.ensure()
        try await bench.driver.append((1...20).map { "\($0)" })
        var records = orders.replay(from: .beginning).values(buffering: .pausing(2)).makeAsyncIterator()
        var seen = [try await records.next()?.element]
        try await orders.remove()
        try await orders.ensure()
        try await bench.driver.append((101...125).map { "\($0)" })
        let end = await #expect(throws: BrokerError.self) {
            while seen.count < 25, let record = try await records.next() { seen.append(record.element) }
        }
        #expect(end == .missing("stream orders"))
        #expect(seen == Array(1...20))
        await bench.driver.close()
    }

    @Test func removedStreamLeavesOnlyOtherStreamsInFile() async throws {
        let bench = try Bench()
        for stream in ["bills", "orders", "sales"] {
            try await bench.driver.ensure(StreamSettings(stream))
            _ = try await bench.driver.append([NewMessage(stream, [1], id: "x")], to: stream)
            _ = try await bench.driver.join(GroupSettings("billing"), of: stream).take()
        }
        try await bench.driver.remove(stream: "orders")
        for table in ["streams", "messages", "recent_ids", "member_groups", "deliveries"] {
            let count: Int? = try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM \(table)") }
            #expect(count == 2, "\(table)")
        }
        for stream in ["bills", "sales"] {
            #expect(try await bench.driver.texts(of: stream).count == 1)
            #expect(try await bench.driver.summary(of: "billing", in: stream).unsettled == 1)
        }
    }

    /// Existing files use this layout of keys, so it must not change.
    @Test func fileKeyIsStreamAbove40BitsOfPosition() {
        #expect(MessageKey(stream: 3)[5] == 3_298_534_883_333)
    }

    @Test func readOfLessThanOneMessageIsRefused() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        await #expect(throws: BrokerError.refused("0 messages cannot be read")) {
            try await bench.driver.texts(limit: 0)
        }
    }

    @Test func fullStreamRefusesMessages() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        let last = MessageKey.mostPositions - 2
        try await bench.driver.write { db, _ in
            try db.run("UPDATE streams SET first = \(last + 1), last = \(last)")
        }
        #expect(try await bench.driver.append(["a"]).map(\.position.number) == [UInt64(last + 1)])
        await #expect(throws: BrokerError.refused("stream orders is full")) { try await bench.driver.append(["b"]) }
        #expect(try await bench.driver.texts() == ["a"])
    }

    @Test func positionBeyondMaximumIsAfterLast() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a"])
        #expect(try await bench.driver.locate(.position(Position(.max)), in: "orders") == Position(2))
        #expect(try await bench.driver.texts(from: .max).isEmpty)
    }

    @Test func timeBeyondRangeIsAfterLastOrBeforeFirst() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a"])
        for (seconds, position) in [(1e20, Position(2)), (-1e20, Position(1))] {
            let time = Date(timeIntervalSince1970: seconds)
            #expect(try await bench.driver.locate(.time(time), in: "orders") == position)
        }
    }

    @Test func removedPositionIsReplacedByOldestKept() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(2)))
        try await bench.driver.append(["a", "b", "c"])
        #expect(try await bench.driver.locate(.position(Position(1)), in: "orders") == Position(2))
    }

    @Test func expiredMessageInFileIsNotFoundByTime() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(10))))
        let begin = bench.clock.now()
        for text in ["a", "b"] {
            try await bench.driver.append([text])
            bench.clock.advance(6)
        }
        #expect(try await bench.driver.locate(.time(begin), in: "orders") == Position(2))
    }

    @Test(arguments: [(0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (-1, 0)])
    func spanInFileIsRoundedUp(nanoseconds: Int, microseconds: Int64) {
        #expect(RxTimeInterval.nanoseconds(nanoseconds).microseconds == microseconds)
    }

    @Test func readWaitsForAppend() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        async let read = bench.driver.read("orders", from: Position(1), limit: 5, within: .seconds(60))
        try await bench.driver.append(["a"])
        #expect(try await read.map(\.text) == ["a"])
        #expect(try await bench.driver.read("orders", from: Position(9), limit: 5, within: .milliseconds(1)).isEmpty)
    }

    @Test func timeIsFoundAfterClockWasSetBack() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        let begin = bench.clock.now()
        for round in 0..<10 {
            try await bench.driver.append(["\(round)"])
            bench.clock.advance(round == 5 ? -2 : 1)
        }
        #expect(try await bench.driver.locate(.time(begin), in: "orders") == Position(1))
        #expect(try await bench.driver.locate(.time(begin + 2.5), in: "orders") == Position(4))
        #expect(try await bench.driver.locate(.time(begin + 3), in: "orders") == Position(4))
        #expect(try await bench.driver.locate(.time(begin + 99), in: "orders") == Position(11))
        #expect(try await bench.driver.locate(.end, in: "orders") == Position(11))
        #expect(try await bench.driver.locate(.position(Position(99)), in: "orders") == Position(11))
        let times = try await bench.driver.read("orders", from: Position(1), limit: 99, within: .seconds(0)).map(\.time)
        #expect(times == times.sorted())
    }

    @Test func appendsOfManyTasksKeepOrderOfEach() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<20 {
                group.addTask {
                    for number in 0..<20 { try await bench.driver.append(["\(task) \(number)"]) }
                }
            }
            try await group.waitForAll()
        }
        let texts = try await bench.driver.texts()
        #expect(texts.count == 400)
        for task in 0..<20 {
            #expect(texts.filter { $0.hasPrefix("\(task) ") } == (0..<20).map { "\(task) \($0)" })
        }
    }

    @Test func errorOfOneWriteKeepsOthersOfItsTransaction() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    (try? await bench.driver.append(["\(number)"], subject: number % 2 == 0 ? "orders" : "other"))
                        != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 100)
        #expect(try await Set(bench.driver.texts()) == Set(stride(from: 0, to: 200, by: 2).map { "\($0)" }))
    }
}

private struct FileBroker: Broker {
    let driver: any LiveDriver
}
