import Foundation
import GRDB
import RxStreams
import RxSwift

/// The key of a message: its stream above, its position in the lower 40 bits. So the messages of a stream lie together,
/// in their order, in the table itself.
struct MessageKey {
    static let mostPositions: Int64 = 1 << 40

    /// The lowest key of a stream, which no message has.
    let base: Int64

    init(stream: Int64) { base = stream << 40 }

    /// The key of a position; of the highest there can be, where it is above that.
    subscript(_ position: Int64) -> Int64 { base + min(max(position, 0), Self.mostPositions - 1) }

    /// The key of no message of this stream or one before it.
    var end: Int64 { base + Self.mostPositions }
}

/// Times as the file has them: microseconds since 1970.
typealias Microseconds = Int64

extension Date {
    /// In microseconds since 1970, the nearest; at most what the file can hold.
    var microseconds: Microseconds {
        let value = (timeIntervalSince1970 * 1e6).rounded()
        return Microseconds(max(-9e18, min(value, 9e18)))
    }

    init(microseconds: Microseconds) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}

extension RxTimeInterval {
    /// In microseconds, rounded up, so that a span above 0 stays above 0.
    var microseconds: Microseconds {
        let nanoseconds = nanosecondsClamped
        return Microseconds(nanoseconds / 1_000 + (nanoseconds % 1_000 > 0 ? 1 : 0))
    }
}

extension Position {
    init(column: Int64) { self.init(UInt64(column)) }

    /// As the file has it; the highest that it can hold, where it is above that.
    var column: Int64 { Int64(clamping: number) }
}

/// Headers as the file has them: a JSON object; NULL where there are none.
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
    /// Any text as the file has it: as bytes where it has a NUL, at which it would end otherwise.
    var column: any DatabaseValueConvertible { utf8.contains(0) ? Data(utf8) : self }
}

extension Row {
    /// Any text that the file has, whole.
    func text(atIndex index: Int) throws -> String? {
        try withUnsafeData(atIndex: index) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension StoredMessage {
    /// What is read of a message.
    static let columns = "key, subject, time, id, headers, payload"

    /// A row with those columns.
    init(_ row: Row, in key: MessageKey) throws {
        self.init(
            Position(column: row[0] - key.base), RxTime(microseconds: row[2]),
            NewMessage(
                row[1], try row.withUnsafeData(atIndex: 5) { [UInt8]($0 ?? Data()) }, id: try row.text(atIndex: 3),
                headers: try Headers.value(row[4])))
    }
}

extension Database {
    /// Runs a statement, which is compiled once for each connection.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The first value of a query; nil where there is no row, and where it is NULL.
    func value<Value: DatabaseValueConvertible>(
        _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first row of a query.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The rows of a query, one after the other: each is there until the next is asked for.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    }
}
