public import RxSwift
public import Dispatch

/// The place of a message in its stream. Positions grow and may have gaps.
public struct Position: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The number; 1 for the first position of a stream.
    public var number: UInt64

    /// Creates a position with a number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Decodes a position from its number.
    public init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(UInt64.self)
    }

    /// Encodes the position as its number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The position after this one, or this one if it is the highest.
    public var next: Position { Position(number == .max ? number : number + 1) }

    /// Whether `lhs` comes before `rhs`.
    public static func < (lhs: Position, rhs: Position) -> Bool { lhs.number < rhs.number }

    public var description: String { "\(number)" }
}

/// A message to be stored or sent.
public struct NewMessage: Sendable, Equatable {
    /// The subject; for a stored message, one of the stream's subjects.
    public var subject: String
    /// The bytes.
    public var payload: [UInt8]
    /// The id for duplicate detection: a stream stores one message for each id. An empty id counts as none.
    public var id: String? { didSet { id = Self.id(id) } }
    /// The headers.
    public var headers: [String: String]

    /// Creates a message.
    public init(_ subject: String, _ payload: [UInt8], id: String? = nil, headers: [String: String] = [:]) {
        self.subject = subject
        self.payload = payload
        self.id = Self.id(id)
        self.headers = headers
    }
}

extension NewMessage {
    private static func id(_ id: String?) -> String? { id?.isEmpty == true ? nil : id }
}

/// Confirms that a stream has stored a message.
public struct Receipt: Sendable, Equatable {
    /// The position of the message.
    public var position: Position
    /// Whether a message with the same id was already stored. If so, and if the engine still has that message,
    /// `position` is its position.
    public var isDuplicate: Bool

    /// Creates a receipt.
    public init(_ position: Position, isDuplicate: Bool = false) {
        self.position = position
        self.isDuplicate = isDuplicate
    }
}

/// A message in a stream.
public struct StoredMessage: Sendable, Equatable {
    /// The position of the message.
    public var position: Position
    /// When the message was stored, by the engine's clock.
    public var time: RxTime
    /// The message.
    public var message: NewMessage

    /// Creates a stored message.
    public init(_ position: Position, _ time: RxTime, _ message: NewMessage) {
        self.position = position
        self.time = time
        self.message = message
    }
}

/// A message that a member has pulled.
public struct PulledMessage: Sendable {
    /// The stored message.
    public var stored: StoredMessage
    /// The number of deliveries in the group, including this one.
    public var attempt: Int
    /// The token with which the member settles the message.
    public var token: MessageToken
    /// Distinguishes messages that an engine has stored at the same position, one after another. 0 if their times
    /// distinguish them.
    var serial: UInt64 = 0

    /// Creates a pulled message.
    public init(_ stored: StoredMessage, attempt: Int, token: MessageToken) {
        self.stored = stored
        self.attempt = attempt
        self.token = token
    }
}

/// Identifies a pulled message when its member settles it.
public struct MessageToken: Sendable, Hashable {
    /// The text, which only the driver interprets.
    public var value: String

    /// Creates a token.
    public init(_ value: String) {
        self.value = value
    }
}

/// The result that a member reports for a message.
public enum Settlement: Sendable, Equatable {
    /// The message was handled. It is not delivered again.
    case done
    /// The message must be delivered again, to any member, after a pause.
    case again(after: RxTimeInterval)
    /// The caller has stored the message as a dead letter. It is not delivered again.
    case givenUp
    /// The message is still being handled. Its deadline starts again.
    case extended
}

/// A message's token and its settlement.
public struct Verdict: Sendable, Equatable {
    /// The message's token.
    public var token: MessageToken
    /// The settlement.
    public var settlement: Settlement

    /// Creates a verdict.
    public init(_ token: MessageToken, _ settlement: Settlement) {
        self.token = token
        self.settlement = settlement
    }
}

/// The range of a stream's positions, and the number of its messages.
public struct StreamSummary: Sendable, Equatable {
    /// The oldest stored position; one after `last` if the stream is empty.
    public var first: Position
    /// The most recently assigned position; 0 if there is none.
    public var last: Position
    /// The number of messages.
    public var count: Int

    /// Creates a summary.
    public init(first: Position, last: Position, count: Int) {
        self.first = first
        self.last = last
        self.count = count
    }
}

/// The progress of a group.
public struct GroupSummary: Sendable, Equatable {
    /// The number of messages that were never delivered to the group.
    public var waiting: Int
    /// The number of messages that have been delivered, but not settled yet.
    public var unsettled: Int

    /// The number of messages that the group still has to settle.
    public var lag: Int {
        let (sum, overflows) = waiting.addingReportingOverflow(unsettled)
        return overflows ? .max : sum
    }

    /// Creates a summary.
    public init(waiting: Int, unsettled: Int) {
        self.waiting = waiting
        self.unsettled = unsettled
    }
}
