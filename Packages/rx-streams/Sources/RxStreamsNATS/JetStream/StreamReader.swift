import NIOCore
import RxStreams
import RxSwift
import Synchronization

/// Reads one stream from one position on, for no group: by a consumer that the server forgets when nobody uses it.
///
/// One call at a time. What it has lost, by a gap in what comes, by a new connection, by a server that has forgotten
/// the consumer, it says by an error: then another one is made, from `next` on.
final class StreamReader: Sendable {
    let stream: String
    let consumer: String
    private let client: NATSClient
    private let inbox: PullInbox
    private let state: Mutex<State>

    private struct State {
        var next: Position
        var delivered: UInt64 = 0
        /// Behind `next` something has not come: it reads no further.
        var hasGap = false
    }

    /// Where a reader begins.
    enum Start: Sendable {
        case position(Position)
        case time(RxTime)
        /// The last message of a subject, and then all.
        case last(subject: String)

        var fields: [String: Any] {
            switch self {
            case .position(let position): ReplayStart.position(position).consumerFields
            case .time(let time): ReplayStart.time(time).consumerFields
            case .last(let subject): ["deliver_policy": "last_per_subject", "filter_subject": subject]
            }
        }
    }

    private init(_ client: NATSClient, _ stream: String, _ consumer: String, _ next: Position) {
        self.client = client
        self.stream = stream
        self.consumer = consumer
        inbox = PullInbox(client, stream: stream, consumer: consumer, deadline: nil)
        state = Mutex(State(next: next))
    }

    /// Makes a reader; the server knows of it when this returns.
    static func make(_ client: NATSClient, _ stream: String, start: Start) async throws -> StreamReader {
        let name = "rx-\(NATSClient.word())"
        let config: [String: Any] = [
            "name": name, "ack_policy": "none", "replay_policy": "instant", "max_deliver": -1,
            "inactive_threshold": 60_000_000_000, "mem_storage": true, "num_replicas": 1,
        ]
        let body = JetStream.json(["stream_name": stream, "config": config.merging(start.fields) { $1 }])
        let answer = try await client.request([
            OutgoingMessage(subject: "$JS.API.CONSUMER.CREATE.\(stream).\(name)", payload: body)
        ])
        try JetStream.check(answer[0], missing: "stream \(stream)")
        let info: JetStream.ConsumerInfo
        do {
            info = try JetStream.decode(answer[0])
        } catch {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
        let next =
            if case .position(let position) = start { position } else { Position(info.delivered.stream_seq).next }
        return StreamReader(client, stream, name, next)
    }

    /// The position that comes next, or a later one.
    var next: Position { state.withLock { $0.next } }

    /// It has asked for what comes: nobody says whether something is on its way.
    var isWaiting: Bool { inbox.isWaiting }

    /// Has the server forget it.
    var farewell: OutgoingMessage {
        OutgoingMessage(subject: "$JS.API.CONSUMER.DELETE.\(stream).\(consumer)")
    }

    /// Reads on. What came before a gap is returned first; the error comes with the next call.
    func read(upTo limit: Int, within span: TimeAmount) async throws -> [StoredMessage] {
        let end = NIODeadline.now() + span
        while true {
            if state.withLock({ $0.hasGap }) { throw BrokerError.unavailable("messages were lost on their way") }
            let left = max(.zero, end - .now())
            let messages = try await inbox.pull(upTo: limit, within: left)
            let read = take(messages)
            if !read.isEmpty || messages.isEmpty { return read }
        }
    }

    private func take(_ messages: [IncomingMessage]) -> [StoredMessage] {
        var read: [StoredMessage] = []
        read.reserveCapacity(messages.count)
        state.withLock { state in
            for message in messages {
                guard let reply = message.reply, let trace = DeliveryTrace(reply) else { continue }
                guard trace.number == state.delivered + 1 else {
                    state.hasGap = true
                    return
                }
                state.delivered = trace.number
                // A consumer that begins behind the end begins at the end.
                if trace.position < state.next.number { continue }
                state.next = Position(trace.position).next
                read.append(StoredMessage(message, trace))
            }
        }
        return read
    }

    /// Ends it, and has the server forget it.
    func end() async {
        await inbox.leave()
        try? client.say([farewell])
    }
}

/// Readers that wait for somebody who reads on where they are: for a while, and so many.
///
/// Guards: `state` is under its lock. A timer runs on the loop while there are readers.
final class ReaderCache: Sendable {
    private static let most = 16
    /// What has waited from one tick to the next is ended.
    static let pause = TimeAmount.seconds(10)

    private struct State {
        var readers: [Waiting] = []
        var isTicking = false
        var isClosed = false
    }

    private struct Waiting {
        let reader: StreamReader
        /// It was there at the last tick.
        var isOld = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// A reader that goes on at a position.
    ///
    /// - Parameter looks: it is to say what is there, without waiting: so it is none that has asked for what comes.
    func take(_ stream: String, _ position: Position, looks: Bool) -> StreamReader? {
        let candidates = state.withLock { $0.readers.map(\.reader) }
            .filter { $0.stream == stream && $0.next == position && !(looks && $0.isWaiting) }
        return state.withLock { state in
            guard let index = state.readers.firstIndex(where: { one in candidates.contains { $0 === one.reader } })
            else { return nil }
            return state.readers.remove(at: index).reader
        }
    }

    func put(_ reader: StreamReader) {
        let (old, begins) = state.withLock { state -> (StreamReader?, Bool) in
            if state.isClosed { return (nil, false) }
            state.readers.append(Waiting(reader: reader))
            let old = state.readers.count > Self.most ? state.readers.removeFirst().reader : nil
            defer { state.isTicking = true }
            return (old, !state.isTicking)
        }
        if let old { Task { await old.end() } }
        if begins { tickLater() }
    }

    private func tickLater() {
        loop.scheduleTask(in: Self.pause) { [weak self] in self?.tick() }
    }

    /// Ends those for which nobody has come.
    private func tick() {
        let (gone, goesOn) = state.withLock { state in
            let gone = state.readers.filter(\.isOld).map(\.reader)
            state.readers = state.readers.filter { !$0.isOld }.map { Waiting(reader: $0.reader, isOld: true) }
            state.isTicking = !state.readers.isEmpty
            return (gone, state.isTicking)
        }
        for reader in gone { Task { await reader.end() } }
        if goesOn { tickLater() }
    }

    /// Lets those of a stream go.
    func forget(_ stream: String) {
        let gone = state.withLock { state in
            let gone = state.readers.filter { $0.reader.stream == stream }
            state.readers.removeAll { $0.reader.stream == stream }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// Lets all go, and takes no others.
    func close() -> [StreamReader] {
        state.withLock { state in
            defer { (state.readers, state.isClosed) = ([], true) }
            return state.readers.map(\.reader)
        }
    }
}

extension NATSDriver {
    func read(
        _ stream: String, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        try Self.check(stream, "stream")
        if limit < 1 { throw BrokerError.refused("a read of \(limit) messages") }
        let begun = NIODeadline.now()
        let span = TimeAmount.nanoseconds(Int64(max(0, span.nanosecondsClamped)))
        var position = Position(max(1, position.number))
        var failures = 0
        while true {
            let cached = readers.take(stream, position, looks: span < PullInbox.shortest)
            let reader: StreamReader
            if let cached {
                reader = cached
            } else {
                reader = try await StreamReader.make(client, stream, start: .position(position))
            }
            do {
                let read = try await reader.read(upTo: limit, within: max(.zero, begun + span - .now()))
                readers.put(reader)
                return read
            } catch let error as CancellationError {
                readers.put(reader)
                throw error
            } catch let error as BrokerError {
                // The consumer is gone, or what it has sent was lost: it goes on with another one where it was.
                position = max(position, reader.next)
                failures += 1
                if error == .closed || failures > 3 { throw error }
                if case .refused = error { throw error }
            }
        }
    }
}
