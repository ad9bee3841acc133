#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The program's executable, a 64-bit little-endian ELF file, mapped into memory.
///
/// A running executable on a local file system cannot be written to. On a network file system, another machine may
/// truncate the file; then a look-up ends the process with SIGBUS.
final class ProgramImage {
    private let mapping: UnsafeRawBufferPointer
    let sections: DebugSections

    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { _ = close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0, let start = mmap(nil, Int(size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
        else { return nil }
        mapping = UnsafeRawBufferPointer(start: start, count: Int(size))
        guard let sections = DebugSections(elf: mapping) else {
            munmap(start, Int(size))
            return nil
        }
        self.sections = sections
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: mapping.baseAddress), mapping.count)
    }
}

/// The symbols and debug information of an ELF file. A section that is absent, compressed or outside the file is empty.
struct DebugSections {
    private(set) var information = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var abbreviations = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var lines = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var lineStrings = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var strings = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var stringOffsets = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var addresses = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The ranges of DWARF version 4 and earlier.
    private(set) var ranges = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The ranges of DWARF version 5.
    private(set) var rangeLists = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var symbols = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var symbolNames = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The budget for all sections except the symbols.
    private(set) var budget = ReadingBudget(for: 0)

    private struct Header {
        var name: UInt32
        var type: UInt32
        var flags: UInt64
        var offset: UInt64
        var size: UInt64
        var link: UInt32
    }

    private static let withoutBytes: UInt32 = 8
    private static let compressed: UInt64 = 0x800

    init?(elf: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(elf)
        // ELF, 64 bits, little-endian.
        guard cursor.read(UInt32.self) == 0x464c_457f, cursor.read(UInt16.self) == 0x0102 else { return nil }
        cursor = ByteCursor(elf, at: 40)
        let table = cursor.read(UInt64.self)
        cursor = ByteCursor(elf, at: 58)
        let size = UInt64(cursor.read(UInt16.self))
        var (count, names) = (UInt64(cursor.read(UInt16.self)), UInt64(cursor.read(UInt16.self)))
        func header(_ index: UInt64) -> Header? {
            let (product, isTooLarge) = index.multipliedReportingOverflow(by: size)
            let (offset, isOutside) = table.addingReportingOverflow(product)
            guard !isTooLarge, !isOutside, let start = Int(exactly: offset) else { return nil }
            var cursor = ByteCursor(elf, at: start)
            var header = Header(
                name: cursor.read(), type: cursor.read(), flags: cursor.read(), offset: 0, size: 0, link: 0)
            cursor.skip(8)
            header.offset = cursor.read()
            header.size = cursor.read()
            header.link = cursor.read()
            return cursor.hasFailed ? nil : header
        }
        func bytes(_ header: Header) -> UnsafeRawBufferPointer? {
            guard header.type != Self.withoutBytes, header.flags & Self.compressed == 0,
                header.offset <= UInt64(elf.count), header.size <= UInt64(elf.count) - header.offset
            else { return nil }
            return UnsafeRawBufferPointer(rebasing: elf[Int(header.offset)..<Int(header.offset + header.size)])
        }
        // If there are many sections, the first header contains their number and the index of the name section.
        if size >= 64, count == 0 || names == 0xffff, let first = header(0) {
            if count == 0 { count = first.size }
            if names == 0xffff { names = UInt64(first.link) }
        }
        guard size >= 64, count <= 1 << 20, let nameBytes = header(names).flatMap(bytes) else { return nil }
        for index in 0..<count {
            guard let each = header(index) else { return nil }
            let name = Self.text(nameBytes, at: UInt64(each.name), longest: Self.longestName)
            guard let path = Self.fields[name ?? ""], let found = bytes(each)
            else { continue }
            self[keyPath: path] = found
            if path == \.symbols, let names = header(UInt64(each.link)).flatMap(bytes) { symbolNames = names }
        }
        let read = [
            information, abbreviations, lines, lineStrings, strings, stringOffsets, addresses, ranges, rangeLists,
        ]
        budget = ReadingBudget(for: read.reduce(0) { $0 + $1.count })
    }

    // nonisolated(unsafe) because key paths without captured values are immutable.
    nonisolated(unsafe) private static let fields: [String: WritableKeyPath<DebugSections, UnsafeRawBufferPointer>] = [
        ".debug_info": \.information, ".debug_abbrev": \.abbreviations, ".debug_line": \.lines,
        ".debug_line_str": \.lineStrings, ".debug_str": \.strings, ".debug_str_offsets": \.stringOffsets,
        ".debug_addr": \.addresses, ".debug_ranges": \.ranges, ".debug_rnglists": \.rangeLists, ".symtab": \.symbols,
    ]

    private static let longestName = 32
    private static let longestText = 1 << 16

    /// Nil if no zero byte ends the text within `longest` bytes.
    private static func text(_ section: UnsafeRawBufferPointer, at offset: UInt64, longest: Int) -> String? {
        guard let start = Int(exactly: offset), start < section.count else { return nil }
        var cursor = ByteCursor(section, at: start, end: start + min(longest + 1, section.count - start))
        let text = cursor.text()
        return cursor.hasFailed ? nil : text
    }

    /// The text at `offset`, at most 64 KiB.
    func text(_ section: UnsafeRawBufferPointer, at offset: UInt64) -> String? {
        Self.text(section, at: offset, budget)
    }

    private static func text(
        _ section: UnsafeRawBufferPointer, at offset: UInt64, _ budget: ReadingBudget
    ) -> String? {
        guard !budget.isSpent, offset < UInt64(section.count) else { return nil }
        let text = text(section, at: offset, longest: longestText)
        budget.spend(text?.utf8.count ?? longestText)
        return text
    }

    /// For each of the sorted `addresses`, the function that contains it, and the offset in that function.
    func symbols(at addresses: [UInt64]) -> [UInt64: (name: String, offset: UInt64)] {
        var nearest: [UInt64: (name: UInt32, start: UInt64)] = [:]
        let budget = ReadingBudget(for: symbols.count + symbolNames.count)
        var cursor = ByteCursor(symbols)
        while !cursor.isAtEnd && !budget.isSpent {
            let (name, kind) = (cursor.read(UInt32.self), cursor.read(UInt8.self) & 0xf)
            cursor.skip(1)
            let section = cursor.read(UInt16.self)
            let (start, size) = (cursor.read(UInt64.self), cursor.read(UInt64.self))
            // Only symbols that the file defines, and that are functions or have no type.
            guard !cursor.hasFailed, kind == 2 || kind == 0, section != 0, start > 0 else { continue }
            let (end, isTooLarge) = start.addingReportingOverflow(size)
            let contained = addresses.within(start, isTooLarge ? .max : end)
            budget.spend(contained.count)
            for address in contained {
                if nearest[address].map({ $0.start < start }) ?? true { nearest[address] = (name, start) }
            }
        }
        var found: [UInt64: (name: String, offset: UInt64)] = [:]
        for (address, symbol) in nearest {
            guard let name = Self.text(symbolNames, at: UInt64(symbol.name), budget), !name.isEmpty else { continue }
            found[address] = (name, address - symbol.start)
        }
        return found
    }
}
