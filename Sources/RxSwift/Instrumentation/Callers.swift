internal import CRxCore

/// The return addresses of a thread's callers, the innermost first. Empty if the C library cannot find callers (musl).
struct Callers: Sendable {
    private var addresses: [UInt] = []

    /// Returns up to `limit` callers. Skips the innermost `omitted` functions, which belong to the library.
    @inline(never)
    static func capture(limit: Int, omitting omitted: Int) -> Callers {
        // The C function and this function are omitted too.
        let omitted = omitted + 2
        var callers = Callers()
        callers.addresses = withUnsafeTemporaryAllocation(
            of: UnsafeMutableRawPointer?.self, capacity: limit + omitted
        ) { buffer in
            buffer.initialize(repeating: nil)
            let count = Int(crx_watch_callers(buffer.baseAddress.unsafelyUnwrapped, CInt(limit + omitted)))
            return buffer.prefix(count).dropFirst(omitted).map { UInt(bitPattern: $0) }
        }
        return callers
    }

    /// The functions with files and lines. Without debug information: symbols and offsets. Without symbols: addresses
    /// for `addr2line`, such as `service+0x1f2c`.
    var frames: [SourceFrame] { SourceFrames.of(addresses) }

    var isEmpty: Bool { addresses.isEmpty }

    var places: [String] { frames.withoutLibrary.map(\.text) }

    static func frames(of stacks: [Callers]) -> [[SourceFrame]] { SourceFrames.of(stacks.map(\.addresses)) }

    /// See ``CallStack/addresses``.
    var text: String {
        var words: [String] = []
        var last: Substring?
        for (file, offset) in images {
            if last != file { words.append(String(file)) }
            last = file
            words.append("0x\(String(offset, radix: 16))")
        }
        return words.joined(separator: " ")
    }

    private var images: [(file: Substring, offset: UInt)] {
        addresses.compactMap { UnsafeMutableRawPointer(bitPattern: $0).flatMap(Self.image) }
    }

    static func image(of pointer: UnsafeMutableRawPointer) -> (file: Substring, offset: UInt)? {
        var (offset, symbolOffset): (UInt, UInt) = (0, 0)
        var symbol: UnsafePointer<CChar>?
        guard let path = crx_watch_image(pointer, &offset, &symbol, &symbolOffset) else { return nil }
        return (String(cString: path).split(separator: "/").last ?? "?", offset)
    }
}
