import Foundation
import GRDB
import RxStreams
import RxSwift

/// The keys of a stream's messages: the stream in the upper bits, the position in the lower 40. So the messages are
/// stored together, in order.
struct MessageKey {
    static let mostPositions: Int64 = 1 << 40

    /// A number below all keys of the stream's messages.
    let base: Int64

    init(stream: Int64) { base = stream << 40 }

    subscript(_ position: Int64) -> Int64 { base + min(max(position, 0), Self.mostPositions - 1) }

    /// A number above all keys of the stream's messages.
    var end: Int64 { base + Self.mostPositions }
}

/// Microseconds since 1970.
typealias Microseconds = Int64

extension Date {
    /// The time, rounded, and limited to what the file can store.
    var microseconds: Microseconds {
        let value = (timeIntervalSince1970 * 1e6).rounded()
        return Microseconds(max(-9e18, min(value, 9e18)))
    }

    init(microseconds: Microseconds) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}

extension RxTimeInterval {
    /// The span, rounded up, so that a positive one stays positive.
    var microseconds: Microseconds {
        let nanoseconds = nanosecondsClamped
        return Microseconds(nanoseconds / 1_000 + (nanoseconds % 1_000 > 0 ? 1 : 0))
    }
}

extension Position {
    init(column: Int64) { self.init(UInt64(column)) }

    var column: Int64 { Int64(clamping: number) }
}

/// Headers as a JSON object, or NULL without headers.
enum Headers {
    static func column(_ headers: [String: String]) throws -> String? {
        headers.isEmpty ? nil : String(decoding: try JSONEncoder().encode(headers), as: UTF8.self)
    }

    static func value(_ column: String?) throws -> [String: String] {
        guard let column else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(column.utf8))
    }
}

extension String {
    /// The value to store. SQLite would end text at a NUL, so text with a NUL is stored as bytes.
    var column: any DatabaseValueConvertible { utf8.contains(0) ? Data(utf8) : self }
}

extension Row {
    func text(atIndex index: Int) throws -> String? {
        try withUnsafeData(atIndex: index) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension StoredMessage {
    static let columns = "key, subject, time, id, headers, payload"

    init(_ row: Row, in key: MessageKey) throws {
        self.init(
            Position(column: row[0] - key.base), RxTime(microseconds: row[2]),
            NewMessage(
                row[1], try row.withUnsafeData(atIndex: 5) { [UInt8]($0 ?? Data()) }, id: try row.text(atIndex: 3),
                headers: try Headers.value(row[4])))
    }
}

extension Database {
    /// Runs a statement, which is compiled once per connection.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Returns nil if there is no row or the value is NULL.
    func value<Value: DatabaseValueConvertible>(
        _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns rows, each valid until the next one is fetched.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    }
}
