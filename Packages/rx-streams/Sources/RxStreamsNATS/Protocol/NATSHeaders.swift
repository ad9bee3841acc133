import RxStreams

/// A message's fields, and its status if it has one.
///
/// Invalid lines are skipped, because headers of other programs must not end the connection.
struct NATSHeaders: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    var status: Int?
    var description = ""
    var fields: [Field] = []

    init(status: Int? = nil, description: String = "", fields: [Field] = []) {
        self.status = status
        self.description = description
        self.fields = fields
    }

    /// Parses a block: `NATS/1.0 status description`, then one field per line.
    init(block: UnsafeRawBufferPointer) {
        var lines = HeaderLines(rest: block[...])
        guard let first = lines.next() else { return }
        let version = "NATS/1.0"
        if first.count > version.utf8.count, first.starts(with: version.utf8) {
            let words = String(decoding: first.dropFirst(version.utf8.count), as: UTF8.self)
                .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            status = words.first.flatMap { $0.utf8.count == 3 ? Int($0) : nil }
            if status != nil, words.count > 1 { description = String(words[1]) }
        }
        while let line = lines.next() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { continue }
            var value = line[(colon + 1)...]
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            fields.append(
                Field(
                    name: String(decoding: line[..<colon], as: UTF8.self),
                    value: String(decoding: value, as: UTF8.self)))
        }
    }

    subscript(name: String) -> String? {
        fields.first { $0.name.hasBytes(of: name) }?.value
    }

    /// Whether a field can be sent. An invalid field would become several fields, or a command.
    static func isField(_ name: String, _ value: String) -> Bool {
        var (name, value) = (name, value)
        return !name.isEmpty && name.withUTF8 { $0.allSatisfy { $0 > 32 && $0 != 127 && $0 != UInt8(ascii: ":") } }
            && value.withUTF8 { $0.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 } }
    }
}

private struct HeaderLines {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func next() -> Slice<UnsafeRawBufferPointer>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        var line = rest[rest.startIndex..<end]
        rest = end < rest.endIndex ? rest[(end + 1)...] : rest[end...]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }
}
