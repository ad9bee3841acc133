import NIOCore
import RxStreams

enum JetStreamHeader {
    static let id = "Nats-Msg-Id"
    static let expectedStream = "Nats-Expected-Stream"
    static let expectedRevision = "Nats-Expected-Last-Subject-Sequence"

    private static let ofItsStream = [
        "Nats-Batch-", "Nats-Expected-", "Nats-Incr", "Nats-Rollup", "Nats-Schedule", "Nats-TTL",
    ]

    /// Returns false for a malformed header, and for an instruction to the message's own stream. Another stream would
    /// execute or refuse such an instruction.
    static func goesAlong(_ name: String, _ value: String) -> Bool {
        let isOfItsStream = name.hasPrefix("Nats-") && ofItsStream.contains { name.hasPrefix($0) }
        return !isOfItsStream && NATSHeaders.isField(name, value)
    }
}

extension OutgoingMessage {
    /// Throws `BrokerError.refused(_:)` if the message's subject or a header cannot be sent.
    init(_ message: NewMessage, stream: String? = nil) throws {
        guard Self.isSubject(message.subject) else {
            throw BrokerError.refused("\(message.subject.debugDescription) is not a valid subject of a message")
        }
        try Self.checkLength(message.subject)
        var fields: [NATSHeaders.Field] = []
        if let id = message.id, !Self.isID(id) {
            throw BrokerError.refused(
                "\(id.prefix(200).debugDescription) is not a valid id on NATS: it must not contain a line break "
                    + "or NUL, or have a space or tab at its ends")
        }
        if let id = message.id { fields.append(NATSHeaders.Field(name: JetStreamHeader.id, value: id)) }
        if let stream { fields.append(NATSHeaders.Field(name: JetStreamHeader.expectedStream, value: stream)) }
        for (name, value) in message.headers { fields.append(NATSHeaders.Field(name: name, value: value)) }
        for field in fields where !NATSHeaders.isField(field.name, field.value) {
            throw BrokerError.refused(
                "\(field.name.debugDescription) is not a valid header name, or its value has several lines")
        }
        let (count, most) = (ByteBuffer.headerSize(fields), Int(UInt16.max))
        if stream != nil, count > most {
            throw BrokerError.refused("an id and headers of \(count) bytes are too large: the limit is \(most)")
        }
        self.init(subject: message.subject, fields: fields, payload: message.payload)
    }

    /// Whether all readers receive the id unchanged. A server removes spaces before a header's value, and other readers
    /// may remove spaces around it.
    private static func isID(_ id: String) -> Bool {
        let ends = [id.utf8.first, id.utf8.last]
        return NATSHeaders.isField(JetStreamHeader.id, id)
            && !ends.contains(UInt8(ascii: " ")) && !ends.contains(UInt8(ascii: "\t"))
    }

    /// The server closes the connection if a protocol line exceeds 4096 bytes. A subject may have half of that, because
    /// the line also contains other words.
    static func checkLength(_ subject: String) throws {
        let (count, most) = (subject.utf8.count, 2048)
        if count > most { throw BrokerError.refused("a subject of \(count) bytes is too long: the limit is \(most)") }
    }

    /// Whether the text consists of words separated by dots, without wildcards.
    static func isSubject(_ subject: String) -> Bool {
        var subject = subject
        return subject.withUTF8 { bytes in
            var isEmptyWord = true
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "."):
                    if isEmptyWord { return false }
                    isEmptyWord = true
                case 0...32, 127, UInt8(ascii: "*"), UInt8(ascii: ">"): return false
                default: isEmptyWord = false
                }
            }
            return !isEmptyWord
        }
    }
}

extension NewMessage {
    /// Omits the expected-stream header that each stored message has.
    init(_ message: IncomingMessage) {
        self.init(message.subject, message.payload)
        for field in message.headers?.fields ?? [] {
            switch field.name {
            case JetStreamHeader.id: id = field.value
            case JetStreamHeader.expectedStream: break
            default: headers[field.name] = headers[field.name] ?? field.value
            }
        }
    }
}

extension StoredMessage {
    init(_ message: IncomingMessage, _ trace: DeliveryTrace) {
        self.init(Position(trace.position), JetStream.time(nanoseconds: trace.nanoseconds), NewMessage(message))
    }
}

extension NATSDriver: HeaderReading {
    func goesAlong(_ name: String, _ value: String) -> Bool { JetStreamHeader.goesAlong(name, value) }
}
