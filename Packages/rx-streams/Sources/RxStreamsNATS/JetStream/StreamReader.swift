import NIOCore
import RxStreams
import RxSwift
import Synchronization

/// Reads a stream from a position on, without a group. The server removes the reader's consumer when it is unused.
///
/// Only one call may be in progress at a time. A call throws if messages may be lost: after a gap in the deliveries, on
/// a new connection, or if the server has removed the consumer. The caller then creates another reader at `next`.
final class StreamReader: Sendable {
    let stream: String
    let consumer: String
    private let client: NATSClient
    private let inbox: PullInbox
    private let state: Mutex<State>

    private struct State {
        var next: Position
        var delivered: UInt64 = 0
        /// Whether a delivery has been lost. The reader then stops.
        var hasGap = false
    }

    enum Start: Sendable {
        case position(Position)
        case time(RxTime)
        /// Starts at the last message of a subject, and continues with all later ones.
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
        let delivered = Position(sequence: info.delivered.stream_seq)
        let next = if case .position(let position) = start { position } else { delivered.next }
        return StreamReader(client, stream, name, next)
    }

    /// A lower bound of the next message's position.
    var next: Position { state.withLock { $0.next } }

    var isWaiting: Bool { inbox.isWaiting }

    var farewell: OutgoingMessage {
        OutgoingMessage(subject: "$JS.API.CONSUMER.DELETE.\(stream).\(consumer)")
    }

    /// Messages before a gap are returned first; the next call throws.
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
                // If the start is after the stream's end, the server starts at the end. Messages before the start are
                // skipped.
                if trace.position < state.next.number { continue }
                state.next = Position(trace.position).next
                read.append(StoredMessage(message, trace))
            }
        }
        return read
    }

    func end() async {
        await inbox.leave()
        try? client.say([farewell])
    }
}

/// Retains up to 16 idle readers, each for up to 20 seconds.
///
/// Guards: `state` is protected by its lock. A timer runs on the loop while there are readers.
final class ReaderCache: Sendable {
    private static let most = 16
    /// The time between ticks. A reader that is idle from one tick to the next is ended.
    static let pause = TimeAmount.seconds(10)

    private struct State {
        var readers: [Waiting] = []
        var isTicking = false
        var isClosed = false
    }

    private struct Waiting {
        let reader: StreamReader
        /// Whether the reader was idle at the last tick.
        var isOld = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Removes and returns a reader at `position`. If `looks` is true, the caller does not wait for new messages, so it
    /// cannot use a reader whose open request waits for them.
    func take(_ stream: String, _ position: Position, looks: Bool) -> StreamReader? {
        func fits(_ reader: StreamReader) -> Bool {
            reader.stream == stream && reader.next == position && !(looks && reader.isWaiting)
        }
        // Readers have locks of their own, so they are examined without this lock.
        let candidates = state.withLock { $0.readers.map(\.reader) }.filter(fits)
        let taken = state.withLock { state -> StreamReader? in
            guard let index = state.readers.firstIndex(where: { one in candidates.contains { $0 === one.reader } })
            else { return nil }
            return state.readers.remove(at: index).reader
        }
        // Other tasks may have taken, advanced and returned the reader in the meantime.
        guard let taken, !fits(taken) else { return taken }
        put(taken)
        return nil
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

    func forget(_ stream: String) {
        let gone = state.withLock { state in
            let gone = state.readers.filter { $0.reader.stream == stream }
            state.readers.removeAll { $0.reader.stream == stream }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

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
        if limit < 1 { throw BrokerError.refused("\(limit) messages cannot be read") }
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
                // The consumer was removed or its messages were lost, so another reader continues at the next position.
                position = max(position, reader.next)
                failures += 1
                if error == .closed || failures > 3 { throw error }
                if case .refused = error { throw error }
            }
        }
    }
}
