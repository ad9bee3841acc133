import Foundation
import RxStreams
import RxSwift

enum JetStream {
    struct Failure: Decodable, Sendable {
        var code: Int
        var err_code: Int?
        var description: String?

        /// `what` names the missing object for a 404.
        func error(_ what: String) -> BrokerError {
            let text = description ?? "error \(err_code ?? code)"
            return switch (code, err_code) {
            case (404, _): .missing(what)
            // No server is suitable, or there are too few servers for the number of replicas.
            case (_, 10074), (_, 10005): .refused(text)
            // Invalid settings, which the server reports as an internal error.
            case (_, 10052): .refused(text)
            // The stream would reserve more bytes than the server has or the account may use, or a cluster does not
            // support the setting.
            case (_, 10047), (_, 10028), (_, 10053), (_, 10036): .refused(text)
            // Another message with this id is being stored now.
            case (_, 10158): .unavailable(text)
            // Too many messages wait to be stored in this stream.
            case (_, 10167), (429, _): .unavailable(text)
            case (400..<500, _): .refused(text)
            default: .unavailable(text)
            }
        }
    }

    struct Envelope: Decodable {
        var error: Failure?
    }

    struct StreamInfo: Decodable, Sendable {
        struct State: Decodable, Sendable {
            var messages: Int
            var first_seq: UInt64
            var last_seq: UInt64
        }
        struct Config: Decodable, Sendable {
            var subjects: [String]?
        }
        var config: Config
        var state: State

        var first: Position { state.messages == 0 ? last.next : Position(state.first_seq) }
        var last: Position { Position(sequence: state.last_seq) }
    }

    struct ConsumerInfo: Decodable, Sendable {
        struct Sequences: Decodable, Sendable {
            var stream_seq: UInt64
        }
        struct Config: Decodable, Sendable {
            var ack_wait: Int?
            var max_ack_pending: Int?
            var filter_subject: String?
            var ack_policy: String?
        }
        var config: Config
        var delivered: Sequences
        var num_pending: Int
        var num_ack_pending: Int
    }

    struct Success: Decodable, Sendable {
        var success: Bool
    }

    struct StoredReply: Decodable, Sendable {
        struct Message: Decodable, Sendable {
            var seq: UInt64
            var hdrs: String?
            var data: String?
        }
        var message: Message
    }

    static func decode<Answer: Decodable>(_ message: IncomingMessage) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(message.payload))
    }

    static func json(_ fields: [String: Any]) -> [UInt8] {
        (try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])).map(Array.init) ?? []
    }

    /// Returns a time in JetStream's format, rounded down to a nanosecond.
    static func text(of time: RxTime) -> String {
        let nanoseconds = Self.nanoseconds(of: time)
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var moment = time_t(seconds)
        var parts = tm()
        gmtime_r(&moment, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let year = digits(Int(parts.tm_year) + 1900, 4)
        let day = [Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { digits($0, 2) }.joined(separator: "-")
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
        return year + "-" + day + "T" + clock + "." + digits(rest, 9) + "Z"
    }

    /// Limits a time to the years 1970 to 2200 and rounds down, so that the result for a message's own time is never
    /// later than the message.
    private static func nanoseconds(of time: RxTime) -> Int {
        let seconds: Double = max(0, min(time.timeIntervalSince1970, 7_258_118_400))
        let whole: Double = seconds.rounded(.down)
        let rest: Double = (seconds - whole) * 1e9
        return Int(whole) * 1_000_000_000 + Int(rest)
    }

    static func time(nanoseconds: UInt64) -> RxTime {
        var time = Date(timeIntervalSince1970: Double(nanoseconds) / 1e9)
        while Self.nanoseconds(of: time) > nanoseconds {
            time = Date(timeIntervalSinceReferenceDate: time.timeIntervalSinceReferenceDate.nextDown)
        }
        return time
    }
}

extension Position {
    /// Limits the server's sequence number so that there is a next position.
    init(sequence: UInt64) { self.init(min(sequence, .max - 1)) }
}

/// JetStream's reply after storing a message: `{"stream":"orders","seq":7,"duplicate":true}`.
struct PublishAnswer: Equatable {
    var position: UInt64
    var isDuplicate: Bool

    /// Parses the reply to a publication. Returns nil for any other reply, such as an error.
    ///
    /// Each published message has a reply, so this parser avoids the cost of a JSON decoder. It searches for a key with
    /// the colon after it, because a stream's name may equal a key. Values contain no quotes.
    init?(_ bytes: [UInt8]) {
        if Self.value(of: "\"error\"", in: bytes) != nil { return nil }
        guard var index = Self.value(of: "\"seq\"", in: bytes) else { return nil }
        var number: UInt64 = 0
        let start = index
        while index < bytes.count, 48...57 ~= bytes[index], index - start < 19 {
            number = number * 10 + UInt64(bytes[index] - 48)
            index += 1
        }
        if index == start { return nil }
        position = number
        isDuplicate =
            Self.value(of: "\"duplicate\"", in: bytes).map { bytes[$0...].starts(with: "true".utf8) } ?? false
    }

    /// Returns the index of a key's value; nil if there is no such key.
    private static func value(of key: StaticString, in bytes: [UInt8]) -> Int? {
        let length = key.utf8CodeUnitCount
        return bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, raw.count >= length else { return nil }
            for start in 0...(raw.count - length) where raw[start] == key.utf8Start[0] {
                guard memcmp(base + start, key.utf8Start, length) == 0 else { continue }
                var (index, hasColon) = (start + length, false)
                while index < bytes.count, bytes[index] == UInt8(ascii: ":") || bytes[index] == UInt8(ascii: " ") {
                    if bytes[index] == UInt8(ascii: ":") { hasColon = true }
                    index += 1
                }
                if hasColon { return index }
            }
            return nil
        }
    }
}

extension IncomingMessage {
    /// Whether a consumer has delivered the message. If so, it belongs to the stream, whatever its status.
    var isDelivered: Bool { reply?.hasPrefix(DeliveryTrace.prefix) ?? false }
}

/// The parts of a delivered message's reply subject:
/// `$JS.ACK.[domain.account.]stream.consumer.attempt.position.number.time.left[.more]`.
struct DeliveryTrace: Equatable {
    static let prefix = "$JS.ACK."

    var attempt: Int
    var position: UInt64
    /// The number of this delivery among all deliveries of the consumer: 1, 2 and so on, without gaps.
    var number: UInt64
    var nanoseconds: UInt64
    /// The number of later messages that were still waiting when this one was delivered.
    var left: UInt64

    /// Returns the stream and the consumer in a delivery's reply subject; nil for another subject.
    static func consumer(of subject: String) -> (stream: String, consumer: String)? {
        guard subject.hasPrefix(prefix) else { return nil }
        let words = subject.split(separator: ".", omittingEmptySubsequences: false)
        let first = words.count == 9 ? 2 : 4
        guard words.count == 9 || words.count >= 11 else { return nil }
        return (String(words[first]), String(words[first + 1]))
    }

    init?(_ subject: String) {
        guard subject.hasPrefix(Self.prefix) else { return nil }
        var subject = subject
        let found = subject.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 12) {
                numbers -> (Int, UInt64, UInt64, UInt64, UInt64)? in
                numbers.initialize(repeating: 0)
                var word = 0
                for byte in bytes {
                    if byte == UInt8(ascii: ".") {
                        word += 1
                    } else if word < 12 {
                        numbers[word] = 48...57 ~= byte ? numbers[word] &* 10 &+ UInt64(byte - 48) : 0
                    }
                }
                let first = word + 1 == 9 ? 4 : 6
                guard word + 1 == 9 || word + 1 >= 11 else { return nil }
                return (
                    Int(clamping: numbers[first]), numbers[first + 1], numbers[first + 2], numbers[first + 3],
                    numbers[first + 4]
                )
            }
        }
        // The largest position is refused, because it has no next one.
        guard let found, found.0 > 0, 1..<UInt64.max ~= found.1 else { return nil }
        (attempt, position, number, nanoseconds, left) = found
    }
}
