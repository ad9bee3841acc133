/// Reads little-endian values of a file that may be damaged. After a read beyond the end, each read returns zero.
struct ByteCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private let end: Int
    private(set) var hasFailed = false

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0, end: Int? = nil) {
        self.bytes = bytes
        self.end = min(bytes.count, end ?? bytes.count)
        self.offset = offset
        if offset < 0 || offset > self.end { fail() }
    }

    /// Whether nothing is left to read. A loop that reads until the end terminates, because each read advances the
    /// cursor.
    var isAtEnd: Bool { offset >= end }

    mutating func fail() {
        hasFailed = true
        offset = end
    }

    mutating func skip(_ count: UInt64) {
        if count <= UInt64(end - offset) { offset += Int(count) } else { fail() }
    }

    @inline(__always)
    mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value {
        guard end - offset >= MemoryLayout<Value>.size else {
            fail()
            return 0
        }
        defer { offset += MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    mutating func word(_ size: Int) -> UInt64 {
        switch size {
        case 1: return UInt64(read(UInt8.self))
        case 2: return UInt64(read(UInt16.self))
        case 3: return UInt64(read(UInt16.self)) | UInt64(read(UInt8.self)) << 16
        case 4: return UInt64(read(UInt32.self))
        case 8: return read(UInt64.self)
        default:
            fail()
            return 0
        }
    }

    /// A number of variable length (LEB128). Bits beyond the 64th are dropped.
    @inline(__always)
    mutating func unsigned() -> UInt64 {
        let first: UInt8 = read()
        return first < 0x80 ? UInt64(first) : rest(of: first).value
    }

    mutating func signed() -> Int64 {
        let first: UInt8 = read()
        let (value, bits, last) = rest(of: first)
        return bits < 64 && last & 0x40 != 0 ? Int64(bitPattern: value | ~0 << UInt64(bits)) : Int64(bitPattern: value)
    }

    private mutating func rest(of first: UInt8) -> (value: UInt64, bits: Int, last: UInt8) {
        var (value, bits, last) = (UInt64(first & 0x7f), 7, first)
        while last >= 0x80 {
            last = read()
            if bits < 64 { value |= UInt64(last & 0x7f) << UInt64(bits) }
            bits = min(bits + 7, 70)
        }
        return hasFailed ? (0, bits, 0) : (value, bits, last)
    }

    /// Reads up to a zero byte, and skips that byte.
    mutating func text() -> String {
        let start = offset
        skipText()
        return hasFailed ? "" : String(decoding: bytes[start..<offset - 1], as: UTF8.self)
    }

    mutating func skipText() {
        while !isAtEnd {
            if read(UInt8.self) == 0 { return }
        }
        fail()
    }
}
