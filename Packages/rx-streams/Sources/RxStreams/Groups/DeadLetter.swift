public import RxSwift

/// A message that was given up, with its reason and origin.
///
/// ```swift
/// orders.deadLetters().subscribe(onNext: { print($0.reason, $0.position) })
/// ```
public struct DeadLetter: Sendable, Equatable {
    /// The bytes as they were published; empty if ``isCut``.
    public let payload: [UInt8]
    /// Whether the letter was stored without the payload and the headers, because the engine rejected the whole letter.
    /// The original stream may still have them at ``position``.
    public let isCut: Bool
    /// Why the message was given up.
    public let reason: String
    /// The stream that stored the message.
    public let stream: String
    /// The group that gave the message up.
    public let group: String
    /// The message's position in the original stream.
    public let position: Position
    /// The message's subject in the original stream.
    public let subject: String
    /// The message's id; nil if it had none. If the engine cannot store the id, its control characters are replaced by
    /// spaces.
    public let id: String?
    /// The number of the message's deliveries.
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

    /// Returns nil if the message is not a dead letter.
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

    /// Returns the message that stores a dead letter. Its id identifies the original message, so a message that is
    /// given up twice is stored once. The id contains the time, because a position may be reused.
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

    /// Returns one line without control characters, as a header requires.
    private static func line(_ text: String, atMost count: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(count) {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }
}

extension DurableStream {
    var deadLetterStream: String { "\(name)-dead" }

    func deadLetterSettings(_ name: String) -> StreamSettings { StreamSettings(name, replicas: settings.replicas) }

    /// Returns the dead letters of this stream's groups: first the stored ones, then new ones.
    ///
    /// Behaves like ``replay(from:live:)``. The stream `dead` contains the letters. Its default name is this stream's
    /// name with `-dead` appended; this stream's name may then have at most 195 characters. If the stream `dead` is
    /// missing, it is created with this stream's number of replicas, and retains all letters for ever. For other
    /// settings, create or change it yourself:
    ///
    /// ```swift
    /// try await broker.stream("orders-dead", of: [UInt8].self, codec: .bytes, keeping: .days(90)).ensure()
    /// ```
    ///
    /// The subject of a letter is the name of the stream `dead`. If you give that stream subjects, include its name; no
    /// other stream may have that subject. If the engine refuses a letter, the message is delivered again each second.
    ///
    /// - Parameters:
    ///   - dead: the name of the stream of dead letters.
    ///   - live: whether the sequence continues with new letters and never completes.
    public func deadLetters(in dead: String? = nil, live: Bool = true) -> Observable<DeadLetter> {
        DurableStream<[UInt8]>(driver, .bytes, deadLetterSettings(dead ?? deadLetterStream))
            .stored(from: .beginning, live: live)
            .compactMap { DeadLetter($0) }
            .filter { [name] in $0.stream == name }
    }
}
