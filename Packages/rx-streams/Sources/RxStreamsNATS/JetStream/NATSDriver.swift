import Foundation
import Logging
import NIOCore
import RxStreams
import RxSwift
import Synchronization

/// Guards: `members` and `readers` are protected by their locks; the client protects its own state.
final class NATSDriver: LiveDriver {
    let client: NATSClient
    let unsettled = Unsettled()
    let readers: ReaderCache
    let cellBucket: CellBucket
    private let members = Mutex(Members())
    private let closing = Once()

    private struct Members {
        var all: [ObjectIdentifier: Weak] = [:]
        /// Whether the members are leaving and none may join any more.
        var isClosing = false
    }

    private struct Weak {
        weak var member: NATSMember?
    }

    init(_ client: NATSClient, bucket: String = "rx-relays") {
        self.client = client
        readers = ReaderCache(on: client.loop)
        cellBucket = CellBucket(bucket)
        client.whenPublishRefused { [weak self] subject, error in self?.refuse(subject, error) }
        client.start()
    }

    deinit {
        client.shutDown()
    }

    var scheduler: any SchedulerType & Sendable { client.scheduler }
    var executor: (any TaskExecutor)? { nil }
    var status: Observable<BrokerStatus> { client.status }

    func close() async {
        await closing.run { await self.handBackAndClose() }
    }

    private func handBackAndClose() async {
        if !client.isClosed {
            let open = members.withLock { members in
                defer { members = Members(isClosing: true) }
                return members.all.values.compactMap(\.member)
            }
            for member in open { await member.leave(isClosing: true) }
            try? client.say(readers.close().map(\.farewell))
            let tokens = unsettled.takeAll()
            try? client.say(tokens.map { OutgoingMessage(subject: $0, payload: Array("-NAK".utf8)) })
            try? await client.roundTrip()
        }
        await client.close()
    }

    /// If `subject` is that of an acknowledgement, ends the members of the group that the subject names.
    private func refuse(_ subject: String, _ error: BrokerError) {
        guard let (stream, group) = DeliveryTrace.consumer(of: subject) else { return }
        let refused = members.withLock { $0.all.values.compactMap(\.member) }
            .filter { $0.stream.hasBytes(of: stream) && $0.groupName.hasBytes(of: group) }
        for member in refused { member.refuse(error) }
    }

    /// Adds a member, which leaves when the driver is closed. Returns false if the driver is already closing.
    func add(_ member: NATSMember) -> Bool {
        members.withLock { members in
            if !members.isClosing { members.all[ObjectIdentifier(member)] = Weak(member: member) }
            return !members.isClosing
        }
    }

    func remove(_ member: NATSMember) {
        _ = members.withLock { $0.all.removeValue(forKey: ObjectIdentifier(member)) }
    }

    /// Sends a request to the subject `$JS.API.` followed by `subject`, and decodes the reply. If the server does not
    /// find the stream, group or cell, throws `BrokerError.missing(what)`.
    func ask<Answer: Decodable & Sendable>(
        _ subject: String, _ body: [UInt8] = [], missing what: String, as answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        let messages = try await client.request([OutgoingMessage(subject: "$JS.API." + subject, payload: body)])
        try JetStream.check(messages[0], missing: what)
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(messages[0].payload))
        } catch {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
    }

    func streamInfo(_ stream: String) async throws -> JetStream.StreamInfo {
        try Self.check(stream, "stream")
        return try await ask("STREAM.INFO.\(stream)", missing: "stream \(stream)")
    }

    /// Throws if the name is not one word of a subject.
    static func check(_ name: String, _ what: String) throws {
        if name.isEmpty || name.utf8.count > 255 || name.utf8.contains(UInt8(ascii: "."))
            || !OutgoingMessage.isSubject(name)
        {
            throw BrokerError.refused("\(name.debugDescription) is not a valid name of a \(what)")
        }
    }
}

/// The messages that have been pulled and not settled. On closing, they are handed back.
final class Unsettled: Sendable {
    private struct State {
        var due: [String: NIODeadline] = [:]
        var sweepsAt = 1024
    }

    private let state = Mutex(State())

    func add(_ tokens: [String], due: NIODeadline) {
        state.withLock { state in
            for token in tokens { state.due[token] = due }
            guard state.due.count >= state.sweepsAt else { return }
            // Removes messages that are past their deadlines, because this member might never settle them.
            let now = NIODeadline.now()
            state.due = state.due.filter { $0.value > now }
            state.sweepsAt = max(1024, state.due.count * 2)
        }
    }

    func remove(_ token: String) {
        _ = state.withLock { $0.due.removeValue(forKey: token) }
    }

    func extend(_ token: String, due: NIODeadline) {
        state.withLock { if $0.due[token] != nil { $0.due[token] = due } }
    }

    /// Removes all messages. Returns those whose deadline has not passed, in the stream's order. Another member may
    /// have the overdue ones.
    func takeAll(at now: NIODeadline = .now()) -> [String] {
        state.withLock { state in
            defer { state.due = [:] }
            let tokens = state.due.filter { $0.value > now }.keys.map { ($0, DeliveryTrace($0)?.position ?? 0) }
            return tokens.sorted { $0.1 < $1.1 }.map(\.0)
        }
    }
}
