public import RxSwift
public import Dispatch

/// Where a message is in its stream: positions grow, and may have gaps.
public struct Position: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The number; the first position of a stream is 1.
    public var number: UInt64

    /// Makes a position of its number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// The number alone, as an encoded value.
    public init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(UInt64.self)
    }

    /// Encodes the number alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The one after it.
    public var next: Position { Position(number + 1) }

    /// Which comes first.
    public static func < (lhs: Position, rhs: Position) -> Bool { lhs.number < rhs.number }

    public var description: String { "\(number)" }
}

/// A message that is to be kept.
public struct NewMessage: Sendable, Equatable {
    /// Its subject, one of the stream's.
    public var subject: String
    /// Its bytes.
    public var payload: [UInt8]
    /// What tells it from others: a stream keeps what has the same id once. An empty one is none.
    public var id: String? { didSet { id = Self.id(id) } }
    /// What goes with it.
    public var headers: [String: String]

    /// Makes a message.
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

/// What a stream says of a message that it has got.
public struct Receipt: Sendable, Equatable {
    /// Where it is.
    public var position: Position
    /// Whether a message with its id was there already: then the position is that one's, if the engine still knows it.
    public var isDuplicate: Bool

    /// Makes a receipt.
    public init(_ position: Position, isDuplicate: Bool = false) {
        self.position = position
        self.isDuplicate = isDuplicate
    }
}

/// A message that a stream keeps.
public struct StoredMessage: Sendable, Equatable {
    /// Where it is.
    public var position: Position
    /// When it was kept, by the engine's clock.
    public var time: RxTime
    /// What it is, with its id where it had one.
    public var message: NewMessage

    /// Makes a message that is kept.
    public init(_ position: Position, _ time: RxTime, _ message: NewMessage) {
        self.position = position
        self.time = time
        self.message = message
    }
}

/// A message that a member has pulled.
public struct PulledMessage: Sendable {
    /// What it is.
    public var stored: StoredMessage
    /// How often it has been delivered in its group, this time included: 1 for the first.
    public var attempt: Int
    /// By what it is settled.
    public var token: MessageToken

    /// Makes a message that has been pulled.
    public init(_ stored: StoredMessage, attempt: Int, token: MessageToken) {
        self.stored = stored
        self.attempt = attempt
        self.token = token
    }
}

/// By what a member settles a message: what the driver has made of it, and nobody else reads.
public struct MessageToken: Sendable, Hashable {
    /// The driver's own words.
    public var value: String

    /// Makes a token.
    public init(_ value: String) {
        self.value = value
    }
}

/// What became of a message.
public enum Settlement: Sendable, Equatable {
    /// It is done with, and does not come again.
    case done
    /// It is to come again, to any member, after a span.
    case again(after: RxTimeInterval)
    /// It is given up, and does not come again. That it is among the dead letters is seen to before.
    case givenUp
    /// It is still being worked on: its deadline begins anew.
    case extended
}

/// What became of which message.
public struct Verdict: Sendable, Equatable {
    /// Which message.
    public var token: MessageToken
    /// What became of it.
    public var settlement: Settlement

    /// Makes a verdict.
    public init(_ token: MessageToken, _ settlement: Settlement) {
        self.token = token
        self.settlement = settlement
    }
}

/// What a stream holds.
public struct StreamSummary: Sendable, Equatable {
    /// The oldest position that is kept; one after the last where there is none.
    public var first: Position
    /// The position that was given last; 0 before the first.
    public var last: Position
    /// How many messages are kept.
    public var count: Int

    /// Makes a summary.
    public init(first: Position, last: Position, count: Int) {
        self.first = first
        self.last = last
        self.count = count
    }
}

/// How far a group is.
public struct GroupSummary: Sendable, Equatable {
    /// How many messages have never been delivered to it.
    public var waiting: Int
    /// How many have been delivered and are not settled.
    public var unsettled: Int

    /// How many messages it still has to settle.
    public var lag: Int { waiting + unsettled }

    /// Makes a summary.
    public init(waiting: Int, unsettled: Int) {
        self.waiting = waiting
        self.unsettled = unsettled
    }
}
