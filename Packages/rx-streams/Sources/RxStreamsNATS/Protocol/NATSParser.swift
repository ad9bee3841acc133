import Foundation
import NIOCore

/// Parses bytes into frames, regardless of how reads split the bytes.
///
/// Invalid bytes cause a ``ProtocolFault``, which each later call throws again. The parser buffers at most one frame
/// and the bytes of one read.
struct NATSParser {
    /// The maximum length of a line. INFO, the longest, lists a cluster's servers.
    static let lineLimit = 64 * 1024
    /// The maximum size of a message with its headers. It exceeds the servers' limit because JetStream returns stored
    /// messages in base 64, which is a third longer. The current `max_payload` is not used, because stored messages may
    /// be larger.
    static let payloadLimit = 96 << 20

    private var bytes = ByteBuffer()
    /// The number of bytes of the current line that have been searched for its end.
    private var searched = 0
    /// The line of a message whose payload has not arrived yet.
    private var head: Head?
    private var fault: ProtocolFault?

    private struct Head {
        var sid: UInt64
        var subject: String
        var reply: String?
        /// The number of bytes of the headers; nil without headers.
        var headerSize: Int?
        var size: Int
    }

    var isEmpty: Bool { bytes.readableBytes == 0 && head == nil }

    mutating func add(_ more: ByteBuffer) {
        if fault != nil { return }
        if bytes.readableBytes == 0 {
            bytes = more
        } else {
            bytes.discardReadBytes()
            bytes.writeImmutableBuffer(more)
        }
    }

    /// Returns the next frame; nil until more bytes have arrived.
    mutating func next() throws(ProtocolFault) -> ServerFrame? {
        if let fault { throw fault }
        do {
            return try parse()
        } catch {
            fault = error
            bytes = ByteBuffer()
            throw error
        }
    }

    private mutating func parse() throws(ProtocolFault) -> ServerFrame? {
        if let head { return try payload(head) }
        guard let length = try lineLength() else { return nil }
        let result = bytes.withUnsafeReadableBytes { raw -> Result<Line, ProtocolFault> in
            Self.line(UnsafeRawBufferPointer(rebasing: raw[..<(length - 2)]))
        }
        bytes.moveReaderIndex(forwardBy: length)
        searched = 0
        switch try result.get() {
        case .frame(let frame): return frame
        case .message(let head):
            if head.size > Self.payloadLimit { throw .payloadTooLarge(head.size, limit: Self.payloadLimit) }
            return try payload(head)
        }
    }

    /// Returns the length of the line with its line break; nil until the line break has arrived.
    private mutating func lineLength() throws(ProtocolFault) -> Int? {
        let (found, count) = bytes.withUnsafeReadableBytes { raw -> (Int?, Int) in
            guard let base = raw.baseAddress else { return (nil, 0) }
            let end = memchr(base + searched, 10, raw.count - searched)
            return (end.map { base.distance(to: $0) }, raw.count)
        }
        if found ?? count > Self.lineLimit { throw .lineTooLong(limit: Self.lineLimit) }
        guard let found else {
            searched = count
            return nil
        }
        let before = found > 0 ? bytes.getInteger(at: bytes.readerIndex + found - 1, as: UInt8.self) : nil
        if before != 13 { throw .lineWithoutReturn }
        return found + 1
    }

    private mutating func payload(_ head: Head) throws(ProtocolFault) -> ServerFrame? {
        guard bytes.readableBytes >= head.size + 2 else {
            self.head = head
            return nil
        }
        self.head = nil
        var message = IncomingMessage(
            sid: head.sid, subject: head.subject, reply: head.reply, headers: nil, payload: [])
        let isWhole = bytes.withUnsafeReadableBytes { raw in
            let headerSize = head.headerSize ?? 0
            if head.headerSize != nil {
                message.headers = NATSHeaders(block: UnsafeRawBufferPointer(rebasing: raw[..<headerSize]))
            }
            if head.size > headerSize { message.payload = [UInt8](raw[headerSize..<head.size]) }
            return raw[head.size] == 13 && raw[head.size + 1] == 10
        }
        if !isWhole { throw .payloadWithoutEnd }
        bytes.moveReaderIndex(forwardBy: head.size + 2)
        return .message(message)
    }
}

extension NATSParser {
    private enum Line {
        case frame(ServerFrame)
        case message(Head)
    }

    private static func line(_ raw: UnsafeRawBufferPointer) -> Result<Line, ProtocolFault> {
        var words = Words(raw)
        guard let verb = words.next() else { return .failure(.unknownVerb("an empty line")) }
        let verbRaw = UnsafeRawBufferPointer(rebasing: raw[verb])
        // PING, PONG and +OK must have no arguments.
        switch verb.lowerBound == 0 ? verb.count : 0 {
        case 3 where has(verbRaw, "msg"): return message(raw, &words, hasHeaders: false)
        case 4 where has(verbRaw, "hmsg"): return message(raw, &words, hasHeaders: true)
        case 4 where has(verbRaw, "ping") && words.next() == nil: return .success(.frame(.ping))
        case 4 where has(verbRaw, "pong") && words.next() == nil: return .success(.frame(.pong))
        case 3 where has(verbRaw, "+ok") && words.next() == nil: return .success(.frame(.ok))
        case 4 where has(verbRaw, "info"):
            do {
                return .success(.frame(.info(try JSONDecoder().decode(ServerInfo.self, from: Data(raw[4...])))))
            } catch {
                return .failure(.badInfo(shown(raw)))
            }
        case 4 where has(verbRaw, "-err"):
            let text = String(decoding: raw[4...], as: UTF8.self)
            return .success(.frame(.error(text.trimmingCharacters(in: CharacterSet(charactersIn: " \t'")))))
        default: return .failure(.unknownVerb(shown(raw)))
        }
    }

    /// Parses `subject sid [reply] [size of headers] size`.
    private static func message(
        _ raw: UnsafeRawBufferPointer, _ words: inout Words, hasHeaders: Bool
    ) -> Result<Line, ProtocolFault> {
        func failure() -> Result<Line, ProtocolFault> { .failure(.badArguments(shown(raw))) }
        guard let subject = words.next(), let sidWord = words.next(), let third = words.next() else { return failure() }
        let fourth = words.next()
        let fifth = words.next()
        guard words.next() == nil, let sid = number(raw[sidWord]) else { return failure() }
        let sizes: (header: Range<Int>?, all: Range<Int>)
        let reply: Range<Int>?
        switch (hasHeaders, fourth, fifth) {
        case (false, nil, _): (reply, sizes) = (nil, (nil, third))
        case (false, let fourth?, nil): (reply, sizes) = (third, (nil, fourth))
        case (true, let fourth?, nil): (reply, sizes) = (nil, (third, fourth))
        case (true, let fourth?, let fifth?): (reply, sizes) = (third, (fourth, fifth))
        default: return failure()
        }
        guard let size = number(raw[sizes.all]).flatMap({ Int(exactly: $0) }) else { return failure() }
        var headerSize: Int?
        if let word = sizes.header {
            guard let header = number(raw[word]).flatMap({ Int(exactly: $0) }), header <= size else { return failure() }
            headerSize = header
        }
        return .success(
            .message(
                Head(
                    sid: sid, subject: String(decoding: raw[subject], as: UTF8.self),
                    reply: reply.map { String(decoding: raw[$0], as: UTF8.self) }, headerSize: headerSize, size: size)))
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        if digits.isEmpty || digits.count > 18 { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard 48...57 ~= digit else { return nil }
            number = number * 10 + UInt64(digit - 48)
        }
        return number
    }

    /// Whether the bytes begin with these lowercase letters, ignoring case.
    private static func has(_ raw: UnsafeRawBufferPointer, _ letters: StaticString) -> Bool {
        guard raw.count >= letters.utf8CodeUnitCount else { return false }
        for index in 0..<letters.utf8CodeUnitCount {
            let letter = letters.utf8Start[index]
            let isSame = raw[index] == letter || 97...122 ~= letter && raw[index] == letter - 32
            if !isSame { return false }
        }
        return true
    }

    private static func shown(_ raw: UnsafeRawBufferPointer) -> String {
        String(decoding: raw.prefix(60), as: UTF8.self).debugDescription
    }

    private struct Words {
        private let raw: UnsafeRawBufferPointer
        private var index = 0

        init(_ raw: UnsafeRawBufferPointer) {
            self.raw = raw
        }

        mutating func next() -> Range<Int>? {
            while index < raw.count, raw[index] == 32 || raw[index] == 9 { index += 1 }
            let start = index
            while index < raw.count, raw[index] != 32, raw[index] != 9 { index += 1 }
            return start < index ? start..<index : nil
        }
    }
}
