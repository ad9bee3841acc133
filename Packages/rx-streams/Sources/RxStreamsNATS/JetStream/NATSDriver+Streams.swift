import Foundation
import NIOCore
import RxStreams
import RxSwift

extension NATSDriver {
    func ensure(_ stream: StreamSettings) async throws {
        try stream.check()
        try Self.checkIsOurs(stream.subjects)
        var wanted: [String: Any] = [
            "name": stream.name,
            "subjects": stream.subjects,
            "num_replicas": stream.replicas,
            "max_age": 0,
            "max_msgs": stream.keeping.count ?? -1,
            "max_bytes": stream.keeping.bytes ?? -1,
        ]
        // The server accepts no time below 100 ms, and no duplicate window above the maximum age.
        let least = 100_000_000
        var window = max(least, stream.duplicateWindow.nanosecondsClamped)
        if let age = stream.keeping.age {
            let age = max(least, age.nanosecondsClamped)
            wanted["max_age"] = age
            window = min(window, age)
        }
        wanted["duplicate_window"] = window
        try await makeStream(stream.name, wanted: wanted)
    }

    /// Throws if a pattern overlaps the subjects of JetStream's API, of acknowledgements or of inboxes. A stream with
    /// such a pattern would store the protocol's messages, and reply to requests that are meant for the server. Only
    /// some servers refuse such a stream. The second word of the inbox is random, so only patterns that match every
    /// inbox are refused.
    private static func checkIsOurs(_ patterns: [String]) throws {
        let theirs = try ["$JS.API.>", "$JS.ACK.>", "_INBOX.\(NATSClient.word()).*"].map { try SubjectPattern($0) }
        for pattern in try patterns.map({ try SubjectPattern($0) }) where theirs.contains(where: pattern.overlaps) {
            throw BrokerError.refused("'\(pattern)' cannot be a stream's subject: it also matches the server's own")
        }
    }

    func makeStream(_ name: String, wanted: [String: Any]) async throws {
        var made = wanted
        made["storage"] = "file"
        made["retention"] = "limits"
        made["discard"] = made["discard"] ?? "old"
        let (create, wanted) = (JetStream.json(made), JetStream.json(wanted))
        let info = try await client.request([OutgoingMessage(subject: "$JS.API.STREAM.INFO.\(name)")])[0]
        do {
            try JetStream.check(info, missing: "stream \(name)")
        } catch BrokerError.missing {
            do {
                let _: JetStream.StreamInfo = try await ask("STREAM.CREATE.\(name)", create, missing: "stream \(name)")
                return
            } catch BrokerError.refused(let why) where why.contains("already in use") {
                // Another client has created the stream since the look-up.
                return try await makeStreamAgain(name, wanted)
            }
        }
        if let changed = Self.changed(info.payload, by: wanted) {
            let _: JetStream.StreamInfo = try await ask("STREAM.UPDATE.\(name)", changed, missing: "stream \(name)")
        }
    }

    private func makeStreamAgain(_ name: String, _ wanted: [UInt8]) async throws {
        let info = try await client.request([OutgoingMessage(subject: "$JS.API.STREAM.INFO.\(name)")])[0]
        try JetStream.check(info, missing: "stream \(name)")
        if let changed = Self.changed(info.payload, by: wanted) {
            let _: JetStream.StreamInfo = try await ask("STREAM.UPDATE.\(name)", changed, missing: "stream \(name)")
        }
    }

    /// Returns the changed settings; nil if nothing changes.
    private static func changed(_ info: [UInt8], by wanted: [UInt8]) -> [UInt8]? {
        func object(_ bytes: [UInt8]) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
        }
        func bytes(_ subjects: Any?) -> Set<[UInt8]> { Set((subjects as? [String] ?? []).map { Array($0.utf8) }) }
        var config = object(info)["config"] as? [String: Any] ?? [:]
        var isOther = false
        for (name, value) in object(wanted) {
            let present = config[name] as? NSObject
            let isSame =
                name == "subjects"
                ? bytes(present) == bytes(value) : present == value as? NSObject
            if isSame { continue }
            isOther = true
            config[name] = value
        }
        return isOther ? JetStream.json(config) : nil
    }

    func remove(stream: String) async throws {
        try Self.check(stream, "stream")
        readers.forget(stream)
        do {
            let _: JetStream.Success = try await ask("STREAM.DELETE.\(stream)", missing: "stream \(stream)")
        } catch BrokerError.missing {}
    }

    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        try Self.check(stream, "stream")
        let outgoing = try messages.map { try OutgoingMessage($0, stream: stream) }
        var receipts: [Receipt] = []
        receipts.reserveCapacity(outgoing.count)
        var rest = outgoing[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(together(rest)))
            rest = rest.dropFirst(part.count)
            for (answer, message) in zip(try await client.request(part), part) {
                guard let published = PublishAnswer(answer.payload), published.position > 0 else {
                    throw await failure(answer, message, stream)
                }
                receipts.append(Receipt(Position(published.position), isDuplicate: published.isDuplicate))
            }
        }
        return receipts
    }

    /// The number of messages to send together: at most 2048, and up to `outgoingLimit` bytes or one larger message.
    /// Other senders then need not wait for the whole batch.
    private func together(_ messages: ArraySlice<OutgoingMessage>) -> Int {
        var (count, bytes) = (0, 0)
        for message in messages.prefix(2048) {
            bytes += message.size
            if count > 0, bytes > client.options.outgoingLimit { break }
            count += 1
        }
        return count
    }

    private func failure(_ answer: IncomingMessage, _ message: OutgoingMessage, _ stream: String) async -> any Error {
        do {
            do {
                if answer.status != 503 {
                    try JetStream.check(answer, missing: "stream \(stream)")
                    return BrokerError.unavailable("the server's answer cannot be read")
                }
            } catch BrokerError.refused(let why) where why.contains("expected stream does not match") {}
            // The stream does not exist, does not have the subject, or does not respond now.
            let info = try await streamInfo(stream)
            let isOurs = try (info.config.subjects ?? []).contains {
                try SubjectPattern($0).matches(message.subject)
            }
            return isOurs
                ? BrokerError.unavailable("the stream does not respond")
                : BrokerError.refused("'\(message.subject)' is not a subject of stream \(stream)")
        } catch {
            return error
        }
    }

    func summary(of stream: String) async throws -> StreamSummary {
        let info = try await streamInfo(stream)
        return StreamSummary(first: info.first, last: info.last, count: info.state.messages)
    }

    func locate(_ start: ReplayStart, in stream: String) async throws -> Position {
        let info = try await streamInfo(stream)
        switch start {
        case .beginning: return info.first
        case .end: return info.last.next
        case .position(let position): return max(info.first, min(position, info.last.next))
        case .time(let time):
            if info.state.messages == 0 { return info.last.next }
            let reader = try await StreamReader.make(client, stream, start: .time(time))
            let position = reader.next
            readers.put(reader)
            return position
        }
    }
}
