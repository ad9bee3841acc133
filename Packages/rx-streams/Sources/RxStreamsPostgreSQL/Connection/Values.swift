import CPostgreSQL
import Foundation
import RxStreams
import RxSwift

/// A parameter of a statement, in PostgreSQL's binary format. Only ``text`` has the text format, and the server infers
/// its type.
enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case integers([Int64])
    case texts([String?])
    case manyBytes([[UInt8]])

    static func integer(_ value: Int64?) -> Value { value.map { .integer($0) } ?? .null }
    static func text(_ value: String?) -> Value { value.map { .text($0) } ?? .null }
    static func micros(_ value: RxTimeInterval) -> Value { .integer(value.microseconds) }
}

extension Value {
    /// Object identifiers from PostgreSQL's catalogue, which never change.
    private enum Kind {
        static let (bool, bytes, integer, text): (Oid, Oid, Oid, Oid) = (16, 17, 20, 25)
        static let (manyBytes, texts, integers): (Oid, Oid, Oid) = (1001, 1009, 1016)
    }

    /// The type's identifier; 0 if the server infers the type.
    var type: Oid {
        switch self {
        case .null, .text: 0
        case .bool: Kind.bool
        case .integer: Kind.integer
        case .bytes: Kind.bytes
        case .integers: Kind.integers
        case .texts: Kind.texts
        case .manyBytes: Kind.manyBytes
        }
    }

    var isBinary: Bool { if case .text = self { false } else { true } }

    /// Appends the value. Returns false for NULL.
    func encode(into bytes: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): bytes.append(bigEndian: value)
        case .bytes(let value): bytes += value
        case .text(let value):
            // Only text parameters need the zero at the end.
            bytes += value.utf8
            bytes.append(0)
        case .integers(let values):
            Self.array(values, of: Kind.integer, into: &bytes) { value, bytes in
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: value)
            }
        case .texts(let values):
            Self.array(values, of: Kind.text, into: &bytes) { value, bytes in
                guard let value else { return bytes.append(bigEndian: Int32(-1)) }
                bytes.append(bigEndian: Int32(value.utf8.count))
                bytes += value.utf8
            }
        case .manyBytes(let values):
            Self.array(values, of: Kind.bytes, into: &bytes) { value, bytes in
                bytes.append(bigEndian: Int32(value.count))
                bytes += value
            }
        }
        return true
    }

    /// Format: the number of dimensions, whether NULL may occur, the type, each dimension's length and first index, and
    /// the elements.
    private static func array<Element>(
        _ values: [Element], of type: Oid, into bytes: inout [UInt8], _ encode: (Element, inout [UInt8]) -> Void
    ) {
        for header in [values.isEmpty ? 0 : 1, 1, Int32(type)] { bytes.append(bigEndian: header) }
        if values.isEmpty { return }
        for header in [Int32(values.count), 1] { bytes.append(bigEndian: header) }
        for value in values { encode(value, &bytes) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

// @unchecked Sendable because libpq does not change a result after it has been created, and only `deinit` frees it.
final class Rows: @unchecked Sendable {
    private let result: OpaquePointer

    /// - Parameter result: a result of libpq, which this object frees.
    init(_ result: OpaquePointer) {
        self.result = result
    }

    deinit {
        PQclear(result)
    }

    var count: Int { Int(PQntuples(result)) }

    var affected: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The command that was run, such as COMMIT; ROLLBACK for the COMMIT of a failed transaction.
    var command: String { String(cString: PQcmdStatus(result)) }

    var names: [String] { (0..<PQnfields(result)).map { String(cString: PQfname(result, $0)) } }

    private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        if PQgetisnull(result, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8]? { raw(row, column).map { [UInt8]($0) } }

    func text(_ row: Int, _ column: Int) -> String? { raw(row, column).map { String(decoding: $0, as: UTF8.self) } }

    func integer(_ row: Int, _ column: Int) -> Int64? {
        guard let raw = raw(row, column) else { return nil }
        return switch raw.count {
        case 8: Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
        default: nil
        }
    }

    func bool(_ row: Int, _ column: Int) -> Bool? { raw(row, column).map { $0.first == 1 } }

    /// Returns a time, which the server stores as microseconds since 2000.
    func time(_ row: Int, _ column: Int) -> RxTime? {
        integer(row, column).map { RxTime(timeIntervalSince1970: 946_684_800 + Double($0) / 1e6) }
    }

    func texts(_ row: Int, _ column: Int) -> [String]? {
        guard let raw = raw(row, column) else { return nil }
        func header(_ offset: Int) -> Int {
            Int(Int32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        guard raw.count >= 20, header(0) == 1 else { return [] }
        var (texts, offset) = ([String](), 20)
        for _ in 0..<header(12) {
            let length = header(offset)
            texts.append(String(decoding: raw[(offset + 4)..<(offset + 4 + length)], as: UTF8.self))
            offset += 4 + length
        }
        return texts
    }
}

extension RxTimeInterval {
    /// The span, rounded up, so that a positive one stays positive.
    var microseconds: Int64 {
        let nanoseconds = nanosecondsClamped
        return Int64(nanoseconds / 1_000 + (nanoseconds % 1_000 > 0 ? 1 : 0))
    }
}

extension RxTime {
    /// The time, limited to the server's range.
    var microsecondsSince1970: Int64 {
        Int64(max(-2e14, min((timeIntervalSince1970 * 1e6).rounded(), 9e15)))
    }
}

extension Position {
    init(column: Int64) { self.init(UInt64(max(0, column))) }

    var column: Int64 { Int64(clamping: number) }
}

/// Headers as a JSON object, or NULL without headers.
enum Headers {
    static func column(_ headers: [String: String]) throws -> String? {
        headers.isEmpty ? nil : String(decoding: try JSONEncoder().encode(headers), as: UTF8.self)
    }

    /// Accepts any JSON, because `rx_publish` of the first schema stored any. In an object, a value other than a string
    /// becomes its JSON text. Other JSON is ignored.
    static func value(_ column: String?) -> [String: String] {
        guard let column else { return [:] }
        let json = Data(column.utf8)
        if let headers = try? JSONDecoder().decode([String: String].self, from: json) { return headers }
        let object = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
        return object.compactMapValues { value in
            if let text = value as? String { return text }
            let text = try? JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
            return text.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
