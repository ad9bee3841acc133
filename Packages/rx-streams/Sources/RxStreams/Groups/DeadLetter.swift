public import RxSwift

/// A message that was given up, with what is known of it.
///
/// ```swift
/// orders.deadLetters().subscribe(onNext: { print($0.reason, $0.position) })
/// ```
public struct DeadLetter: Sendable, Equatable {
    /// Its bytes, as they were published; empty where ``isCut``.
    public let payload: [UInt8]
    /// Whether it is here without its bytes, because the engine takes no message that has them and the reason, too.
    /// They are in its stream, at its position, for as long as that keeps them.
    public let isCut: Bool
    /// Why it was given up.
    public let reason: String
    /// The stream it was in.
    public let stream: String
    /// The group that gave it up.
    public let group: String
    /// Where it was in its stream.
    public let position: Position
    /// Its subject there.
    public let subject: String
    /// Its id there, where it had one; where the engine cannot keep that, each control character of it is a space.
    public let id: String?
    /// How often it had been delivered.
    public let attempts: Int

    private enum Header {
        static let reason = "Rx-Reason"
        static let stream = "Rx-Stream"
        static let group = "Rx-Group"
        static let position = "Rx-Position"
        static let subject = "Rx-Subject"
        static let id = "Rx-Id"
        static let attempts = "Rx-Attempts"
        static let cut = "Rx-Cut"
    }

    /// Reads a dead letter; nil where the message is none.
    init?(_ stored: StoredMessage) {
        let headers = stored.message.headers
        guard let stream = headers[Header.stream], let number = headers[Header.position].flatMap({ UInt64($0) })
        else { return nil }
        self.stream = stream
        position = Position(number)
        payload = stored.message.payload
        isCut = headers[Header.cut] != nil
        reason = headers[Header.reason] ?? ""
        group = headers[Header.group] ?? ""
        subject = headers[Header.subject] ?? ""
        id = headers[Header.id]
        attempts = headers[Header.attempts].flatMap { Int($0) } ?? 0
    }

    /// The message that keeps a dead letter. Its id says which message it was: given up twice, it is kept once.
    ///
    /// The time is part of the id because a position is used again where an engine has lost its last messages, or a
    /// stream is made anew.
    ///
    /// - Parameter driver: what keeps it, which may leave out headers that were for the message's own stream.
    static func message(
        _ pulled: PulledMessage, _ why: String, stream: String, group: String, to dead: String, isCut: Bool = false,
        by driver: any StreamDriver
    ) -> NewMessage {
        let stored = pulled.stored
        let reader = driver as? any HeaderReading
        let id = stored.message.id.map { reader?.goesAlong(Header.id, $0) ?? true ? $0 : line($0, atMost: .max) }
        var headers = isCut ? [:] : stored.message.headers
        if let reader { headers = headers.filter { reader.goesAlong($0.key, $0.value) } }
        headers[Header.reason] = line(why, atMost: isCut ? 100 : 1_000)
        headers[Header.stream] = stream
        headers[Header.group] = group
        headers[Header.position] = "\(stored.position)"
        headers[Header.subject] = stored.message.subject
        headers[Header.id] = id
        headers[Header.attempts] = "\(pulled.attempt)"
        if isCut { headers[Header.cut] = "1" }
        let microseconds = Int(stored.time.timeIntervalSinceReferenceDate * 1e6)
        return NewMessage(
            dead, isCut ? [] : stored.message.payload, id: "\(stream):\(group):\(stored.position):\(microseconds)",
            headers: headers)
    }

    /// Text as a header can have it: one line, without control characters.
    private static func line(_ text: String, atMost count: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(count) {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }
}

extension DurableStream {
    /// The name of the stream of dead letters, unless another is given.
    var deadLetterStream: String { "\(name)-dead" }

    /// What the stream of dead letters is where it has to be made: kept as safely as this one, and for ever.
    func deadLetterSettings(_ name: String) -> StreamSettings { StreamSettings(name, replicas: settings.replicas) }

    /// The messages of this stream that were given up, by whatever group: those that there are, then what comes.
    ///
    /// As ``replay(from:live:)``. Where their stream is missing it is made, with this one's replicas, and keeps all for
    /// ever; one that is there stays as it is. Who wants that otherwise makes it first, or changes it:
    ///
    /// ```swift
    /// try await broker.stream("orders-dead", of: [UInt8].self, codec: .bytes, keeping: .days(90)).ensure()
    /// ```
    ///
    /// A letter's subject is that stream's name: one that is given subjects has to have its name among them, and no
    /// other stream may have it. So a stream with the subject `*` or `>` has no groups. Where the engine takes no
    /// letter, a warning is logged, and what was given up is delivered again and again.
    ///
    /// - Parameters:
    ///   - dead: the name of the stream of dead letters; this one's with `-dead` behind it unless given, which is a
    ///     name where this one's has 195 letters at most.
    ///   - live: whether it goes on with what comes, and never completes.
    public func deadLetters(in dead: String? = nil, live: Bool = true) -> Observable<DeadLetter> {
        DurableStream<[UInt8]>(driver, .bytes, deadLetterSettings(dead ?? deadLetterStream))
            .stored(from: .beginning, live: live)
            .compactMap { DeadLetter($0) }
            .filter { [name] in $0.stream == name }
    }
}
