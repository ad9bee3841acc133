import RxStreams
import RxSwift
import Synchronization

extension ConformanceCase {
    static let streams = [
        ConformanceCase("creating a stream twice keeps its messages") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            try await world.driver.ensure(stream)
            try expect(try await world.driver.summary(of: stream.name).count, 1, "messages after the second ensure")
        },
        ConformanceCase("a stream's retention may be changed") { world in
            var stream = try await world.stream()
            try await world.append(1...5, to: stream)
            stream.keeping = .last(3)
            try await world.driver.ensure(stream)
            try await world.append([6], to: stream)
            try expect(try await world.driver.summary(of: stream.name).count, 3, "messages kept")
        },
        ConformanceCase("an invalid name is refused") { world in
            for name in ["", "a.b", "a b", "a/b", "ä"] {
                try await expectError("the name '\(name)'", \.isRefused) {
                    try await world.driver.ensure(StreamSettings(name, subjects: ["x-\(world.tag)"]))
                }
            }
        },
        ConformanceCase("an invalid subject is refused") { world in
            for subject in ["", ".", "a..b", "a b", ">.a", "a\n"] {
                try await expectError("the subject '\(subject)'", \.isRefused) {
                    try await world.driver.ensure(StreamSettings("n-\(world.tag)", subjects: [subject]))
                }
            }
        },
        ConformanceCase("subjects belong to one stream") { world in
            let stream = try await world.stream("own", subjects: ["a.*"])
            try await expectError("a second owner", \.isRefused) {
                try await world.driver.ensure(
                    StreamSettings("other-\(world.tag)", subjects: [stream.subjects[0].replacing("*", with: "b")]))
            }
        },
        ConformanceCase("overlapping subjects of one stream are refused") { world in
            try await expectError("two subjects that overlap", \.isRefused) {
                try await world.driver.ensure(world.settings("twice", subjects: ["a.*", "a.b"]))
            }
        },
        ConformanceCase("subjects are compared by their bytes") { world in
            let stream = try await world.stream("one", subjects: ["caf\u{e9}"])
            let other = stream.subjects[0].replacing("\u{e9}", with: "e\u{301}")
            try await expectError("a subject that looks alike", \.isRefused) {
                _ = try await world.driver.append([NewMessage(other, [])], to: stream.name)
            }
            // The two subjects differ in bytes, so another stream can have the second.
            let second = StreamSettings("two-\(world.tag)", subjects: [other])
            try await world.driver.ensure(second)
            try await world.append([1], to: second)
            try await world.driver.remove(stream: second.name)
            var changed = stream
            changed.subjects = [other]
            try await world.driver.ensure(changed)
            try await world.append([1], to: changed)
            try expect(try await world.driver.summary(of: stream.name).count, 1, "messages kept")
        },
        ConformanceCase("removing a stream removes its groups") { world in
            let stream = try await world.stream()
            try await world.append(1...3, to: stream)
            _ = try await world.driver.join(world.group(), of: stream.name)
            try await world.driver.remove(stream: stream.name)
            try await expectError("its summary", \.isMissing) { _ = try await world.driver.summary(of: stream.name) }
            try await world.driver.remove(stream: stream.name)
            try await world.driver.ensure(stream)
            try expect(try await world.driver.summary(of: stream.name).count, 0, "messages in the new one")
        },
        ConformanceCase("absent streams and groups are missing") { world in
            let stream = try await world.stream()
            try await expectError("a summary of no stream", \.isMissing) {
                _ = try await world.driver.summary(of: "none-\(world.tag)")
            }
            try await expectError("a summary of no group", \.isMissing) {
                _ = try await world.driver.summary(of: "none", in: stream.name)
            }
            try await expectError("joining no stream", \.isMissing) {
                _ = try await world.driver.join(world.group(), of: "none-\(world.tag)")
            }
            try await expectError("appending to no stream", { $0.isMissing || $0.isRefused }) {
                _ = try await world.driver.append([NewMessage("none", [])], to: "none-\(world.tag)")
            }
        },
        ConformanceCase("a stream with a count keeps the latest messages") { world in
            let stream = try await world.stream { $0.keeping = .last(10) }
            try await world.append(1...25, to: stream)
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 100, within: world.units(20))
            try expect(read.map(world.number), Array(16...25), "what is kept")
            let summary = try await world.driver.summary(of: stream.name)
            try expect(summary, StreamSummary(first: Position(16), last: Position(25), count: 10), "the summary")
        },
        ConformanceCase("a stream with an age removes old messages") { world in
            let stream = try await world.stream { $0.keeping = .age(world.units(5)) }
            try await world.append(1...3, to: stream)
            try await world.eventually("all gone") {
                try await world.driver.read(stream.name, from: Position(1), limit: 10, within: .nanoseconds(0)).isEmpty
            }
            let receipts = try await world.append([4], to: stream)
            try expect(receipts[0].position, Position(4), "positions are not given again")
        },
        ConformanceCase("another connection sees the same messages") { world in
            let stream = try await world.stream()
            try await world.append(1...3, to: stream)
            let other = try await world.another()
            let read = try await other.driver.read(stream.name, from: Position(1), limit: 10, within: world.units(20))
            try expect(read.map(world.number), [1, 2, 3], "what the other reads")
            await other.close()
        },
        ConformanceCase("the status reports connected and closed") { world in
            let other = try await world.another()
            let all = Statuses()
            let subscription = other.status.subscribe(onNext: { all.add($0) }, onCompleted: { all.complete() })
            try await world.eventually("connected") {
                all.seen.contains { if case .connected = $0 { true } else { false } }
            }
            await other.close()
            try await world.eventually("completed") { all.isComplete }
            try expect(all.seen.last, .closed, "the last status")
            subscription.dispose()
        },
        ConformanceCase("a closed broker refuses calls, even if closed twice") { world in
            let stream = try await world.stream()
            let other = try await world.another()
            await other.close()
            await other.close()
            try await expectError("an append", { $0 == .closed }) {
                _ = try await other.driver.append([NewMessage(stream.subjects[0], [])], to: stream.name)
            }
            try await expectError("a summary", { $0 == .closed }) {
                _ = try await other.driver.summary(of: stream.name)
            }
        },
    ]

    static let appending = [
        ConformanceCase("positions grow, in the order of appending") { world in
            let stream = try await world.stream()
            let receipts = try await world.append(1...50, to: stream)
            try expect(receipts.map(\.position.number), Array(1...50), "positions")
            let more = try await world.append(51...52, to: stream)
            try expect(more.map(\.position.number), [51, 52], "later positions")
        },
        ConformanceCase("a message is stored with its subject, payload, id and headers") { world in
            let stream = try await world.stream(subjects: ["a.*"])
            let subject = stream.subjects[0].replacing("*", with: "b")
            let all = (0...255).map { UInt8($0) }
            let message = NewMessage(subject, all, id: "id-1", headers: ["Color": "blue: or green", "Empty": ""])
            _ = try await world.driver.append([message], to: stream.name)
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 1, within: world.units(20))
            try expect(read.map(\.message), [message], "what was read")
        },
        ConformanceCase("an empty message is stored") { world in
            let stream = try await world.stream()
            _ = try await world.driver.append([NewMessage(stream.subjects[0], [])], to: stream.name)
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 1, within: world.units(20))
            try expect(read.map(\.message.payload), [[]], "the payload")
        },
        ConformanceCase("a duplicate id is stored once") { world in
            let stream = try await world.stream()
            let one = NewMessage(stream.subjects[0], [1], id: "one")
            let two = NewMessage(stream.subjects[0], [2], id: "two")
            _ = try await world.driver.append([one], to: stream.name)
            let receipts = try await world.driver.append([one, two, one], to: stream.name)
            try expect(receipts.map(\.isDuplicate), [true, false, true], "duplicates")
            try expect(receipts.map(\.position.number), [1, 2, 1], "positions")
            try expect(try await world.driver.summary(of: stream.name).count, 2, "messages kept")
        },
        ConformanceCase("ids are compared by their bytes") { world in
            let stream = try await world.stream()
            let messages = ["caf\u{e9}", "cafe\u{301}"].map { NewMessage(stream.subjects[0], [], id: $0) }
            let receipts = try await world.driver.append(messages, to: stream.name)
            try expect(receipts.map(\.isDuplicate), [false, false], "duplicates")
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 2, within: world.units(20))
            try expect(
                read.map { Array(($0.message.id ?? "").utf8) }, messages.map { Array(($0.id ?? "").utf8) }, "the ids")
        },
        ConformanceCase("an empty id counts as none") { world in
            let stream = try await world.stream()
            let message = NewMessage(stream.subjects[0], [], id: "")
            let receipts = try await world.driver.append([message, message], to: stream.name)
            try expect(receipts, [Receipt(Position(1)), Receipt(Position(2))], "receipts")
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 2, within: world.units(20))
            try expect(read.map(\.message.id), [nil, nil], "the ids")
        },
        ConformanceCase("a duplicate id is stored once across connections") { world in
            let stream = try await world.stream()
            let other = try await world.another()
            let message = NewMessage(stream.subjects[0], [1], id: "one")
            async let mine = world.driver.append([message], to: stream.name)
            async let theirs = other.driver.append([message], to: stream.name)
            let duplicates = try await (mine + theirs).filter(\.isDuplicate).count
            try expect(duplicates, 1, "duplicates")
            await other.close()
        },
        ConformanceCase("an id is forgotten after its window") { world in
            let stream = try await world.stream { $0.duplicateWindow = world.units(2) }
            let one = NewMessage(stream.subjects[0], [1], id: "one")
            _ = try await world.driver.append([one], to: stream.name)
            try await world.eventually("the id is forgotten") {
                try await !world.driver.append([one], to: stream.name)[0].isDuplicate
            }
        },
        ConformanceCase("a subject of another stream is refused") { world in
            let stream = try await world.stream(subjects: ["a"])
            try await expectError("a foreign subject", \.isRefused) {
                _ = try await world.driver.append([NewMessage("foreign-\(world.tag)", [])], to: stream.name)
            }
            try await expectError("a wildcard", \.isRefused) {
                _ = try await world.driver.append([NewMessage("\(stream.name).*", [])], to: stream.name)
            }
            try expect(try await world.driver.summary(of: stream.name).count, 0, "messages kept")
        },
        ConformanceCase("a large message is stored") { world in
            let stream = try await world.stream()
            let large = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            _ = try await world.driver.append([NewMessage(stream.subjects[0], large)], to: stream.name)
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 1, within: world.units(20))
            try expect(read.first?.message.payload == large, "the payload is another")
        },
    ]
}

private final class Statuses: Sendable {
    private let state = Mutex((seen: [BrokerStatus](), isComplete: false))

    var seen: [BrokerStatus] { state.withLock { $0.seen } }
    var isComplete: Bool { state.withLock { $0.isComplete } }

    func add(_ status: BrokerStatus) { state.withLock { $0.seen.append(status) } }
    func complete() { state.withLock { $0.isComplete = true } }
}
