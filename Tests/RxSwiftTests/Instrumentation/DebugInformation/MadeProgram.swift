struct FileBytes {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func add<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func add(_ text: String) { bytes += text.utf8 + [0] }
    mutating func add(_ other: FileBytes) { bytes += other.bytes }
    mutating func add(_ raw: [UInt8]) { bytes += raw }

    /// Adds `other`, preceded by its length in 32 bits.
    mutating func addUnit(_ other: FileBytes) {
        add(UInt32(other.count))
        add(other)
    }
}

/// An executable file with the functions `outer` and `other`, as a compiler and a linker write it:
///
///     0x1000  outer   /src/a.swift:10
///     0x1010  inner   /src/lib/b.swift:5, inlined into outer, called at /src/a.swift:20
///     0x1020  outer   /src/a.swift:21
///     0x1040  other   without debug information, up to 0x1080
struct MadeProgram {
    var version: UInt16 = 5
    var isOptimized = true
    var hasDebugInformation = true
    var hasSymbols = true
    var isCompressed = false

    var bytes: [UInt8] {
        var sections: [(name: String, type: UInt32, bytes: FileBytes)] = []
        if hasDebugInformation {
            sections += [
                (".debug_info", 1, information), (".debug_abbrev", 1, abbreviations), (".debug_line", 1, lines),
                (".debug_str", 1, strings), (".debug_line_str", 1, lineStrings), (".debug_ranges", 1, ranges),
                (".debug_rnglists", 1, rangeLists), (".debug_addr", 1, addresses),
                (".debug_str_offsets", 1, stringOffsets),
            ]
        }
        if hasSymbols { sections += [(".symtab", 2, symbols), (".strtab", 3, symbolNames)] }
        return Self.file(sections, isCompressed: isCompressed)
    }

    func bytes(units count: Int, lines: [UInt8]) -> [UInt8] {
        var (units, program) = (FileBytes(), FileBytes())
        for _ in 0..<count { units.add(information) }
        program.add(lines)
        return Self.file([
            (".debug_info", 1, units), (".debug_abbrev", 1, abbreviations), (".debug_line", 1, program),
            (".debug_ranges", 1, ranges), (".debug_rnglists", 1, rangeLists), (".symtab", 2, symbols),
            (".strtab", 3, symbolNames),
        ])
    }

    // MARK: ELF

    static func file(
        _ sections: [(name: String, type: UInt32, bytes: FileBytes)], isCompressed: Bool = false
    ) -> [UInt8] {
        var (names, body, headers) = (FileBytes(), FileBytes(), FileBytes())
        names.add("")
        headers.add([UInt8](repeating: 0, count: 64))
        func header(_ name: String, _ type: UInt32, _ size: Int, link: Int) {
            headers.add(UInt32(names.count))
            headers.add(type)
            headers.add(UInt64(isCompressed && name.hasPrefix(".debug") ? 0x800 : 0))
            headers.add(UInt64(0))
            headers.add(UInt64(64 + body.count))
            headers.add(UInt64(size))
            headers.add(UInt32(link))
            headers.add([UInt8](repeating: 0, count: 20))
            names.add(name)
        }
        for (index, section) in sections.enumerated() {
            header(section.name, section.type, section.bytes.count, link: section.type == 2 ? index + 2 : 0)
            body.add(section.bytes)
        }
        let name = ".shstrtab"
        header(name, 3, names.count + name.utf8.count + 1, link: 0)
        body.add(names)

        var file = FileBytes()
        file.add([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        file.add([UInt8](repeating: 0, count: 24))
        file.add(UInt64(64 + body.count))
        file.add([UInt8](repeating: 0, count: 10))
        file.add(UInt16(64))
        file.add(UInt16(sections.count + 2))
        file.add(UInt16(sections.count + 1))
        file.add(body)
        file.add(headers)
        return file.bytes
    }

    private var symbolNames: FileBytes {
        var names = FileBytes()
        for name in ["", "outer", "other"] { names.add(name) }
        return names
    }

    private var symbols: FileBytes {
        var symbols = FileBytes()
        symbols.add([UInt8](repeating: 0, count: 24))
        for (name, start, size) in [(UInt32(1), UInt64(0x1000), UInt64(0x40)), (7, 0x1040, 0x40)] {
            symbols.add(name)
            symbols.add([0x12, 0, 1, 0])
            symbols.add(start)
            symbols.add(size)
        }
        return symbols
    }

    // MARK: Debug information

    private var strings: FileBytes {
        var strings = FileBytes()
        for text in ["", "outer", "inner", "/src"] { strings.add(text) }
        return strings
    }

    private var lineStrings: FileBytes {
        var strings = FileBytes()
        for text in ["/src", "lib", "a.swift", "b.swift"] { strings.add(text) }
        return strings
    }

    private var stringOffsets: FileBytes {
        var offsets = FileBytes()
        offsets.add([8, 0, 0, 0, 5, 0, 0, 0])
        offsets.add(UInt32(1))
        offsets.add(UInt32(7))
        return offsets
    }

    private var addresses: FileBytes {
        var addresses = FileBytes()
        addresses.add([20, 0, 0, 0, 5, 0, 8, 0])
        addresses.add(UInt64(0x1000))
        addresses.add(UInt64(0x1010))
        return addresses
    }

    private var ranges: FileBytes {
        var ranges = FileBytes()
        for word: UInt64 in [.max, 0x1000, 0, 0x40, 0, 0] { ranges.add(word) }
        return ranges
    }

    private var rangeLists: FileBytes {
        var (list, lists) = (FileBytes(), FileBytes())
        list.add([5, 0, 8, 0, 1, 0, 0, 0])
        list.add(UInt32(4))
        // The range begins at entry 0 of the address table and is 64 bytes long.
        list.add([3, 0, 0x40, 0])
        lists.addUnit(list)
        return lists
    }

    private var abbreviations: FileBytes {
        var abbreviations = FileBytes()
        func entry(_ code: UInt8, _ tag: UInt8, hasChildren: Bool, _ attributes: [[UInt8]]) {
            abbreviations.add([code, tag, hasChildren ? 1 : 0] + attributes.flatMap { $0 } + [0, 0])
        }
        // Attribute 0x3fe1 marks an optimized unit.
        let optimized: [[UInt8]] = isOptimized ? [[0xe1, 0x7f, 0x19]] : []
        if version == 5 {
            entry(
                1, 0x11, hasChildren: true,
                [
                    [0x1b, 0x1f], [0x10, 0x17], [0x72, 0x17], [0x73, 0x17], [0x74, 0x17], [0x11, 0x01], [0x55, 0x23],
                ]
                    + optimized)
            entry(2, 0x2e, hasChildren: true, [[0x03, 0x0e], [0x11, 0x1b], [0x12, 0x06], [0x40, 0x18]])
            entry(
                3, 0x1d, hasChildren: false,
                [[0x31, 0x13], [0x11, 0x1b], [0x12, 0x0b], [0x58, 0x21, 0], [0x59, 0x0b]])
            entry(4, 0x2e, hasChildren: false, [[0x03, 0x25]])
        } else {
            entry(1, 0x11, hasChildren: true, [[0x1b, 0x08], [0x10, 0x17], [0x11, 0x01], [0x55, 0x17]] + optimized)
            entry(2, 0x2e, hasChildren: true, [[0x03, 0x0e], [0x11, 0x01], [0x12, 0x06], [0x40, 0x18]])
            entry(
                3, 0x1d, hasChildren: false,
                [[0x31, 0x13], [0x11, 0x01], [0x12, 0x0b], [0x58, 0x0b], [0x59, 0x0b]])
            entry(4, 0x2e, hasChildren: false, [[0x03, 0x0e]])
        }
        // A type and a variable. The size of a variable's entry depends on its contents.
        entry(5, 0x24, hasChildren: false, [[0x03, 0x0e], [0x0b, 0x0b]])
        entry(6, 0x34, hasChildren: false, [[0x02, 0x18], [0x3f, 0x19], [0x1c, 0x0d]])
        abbreviations.add(UInt8(0))
        return abbreviations
    }

    private var information: FileBytes {
        var (unit, units) = (FileBytes(), FileBytes())
        unit.add(version)
        if version == 5 {
            unit.add([1, 8])
            unit.add(UInt32(0))
        } else {
            unit.add(UInt32(0))
            unit.add(UInt8(8))
        }
        unit.add(UInt8(1))
        if version == 5 {
            unit.add(UInt32(0))  // the folder
            unit.add(UInt32(0))  // the line table
            unit.add(UInt32(8))
            unit.add(UInt32(8))
            unit.add(UInt32(12))
            unit.add(UInt64(0))
            unit.add(UInt8(0))  // the first list of ranges
        } else {
            unit.add("/src")
            unit.add(UInt32(0))
            unit.add(UInt64(0))
            unit.add(UInt32(0))
        }
        let origin = UInt32(unit.count + 4)
        if version == 5 {
            unit.add([4, 1])
        } else {
            unit.add(UInt8(4))
            unit.add(UInt32(7))
        }
        unit.add(UInt8(5))
        unit.add(UInt32(1))
        unit.add([8, 6, 2, 0x91, 0, 0x7f])
        unit.add(UInt8(2))
        unit.add(UInt32(1))
        if version == 5 { unit.add(UInt8(0)) } else { unit.add(UInt64(0x1000)) }
        unit.add(UInt32(0x40))
        unit.add([1, 0x56])
        unit.add(UInt8(3))
        unit.add(origin)
        if version == 5 { unit.add(UInt8(1)) } else { unit.add(UInt64(0x1010)) }
        unit.add(UInt8(0x10))
        unit.add(version == 5 ? [20, 0, 0] as [UInt8] : [1, 20, 0, 0])
        units.addUnit(unit)
        return units
    }

    private var lines: FileBytes {
        var program = FileBytes()
        let (first, second): (UInt8, UInt8) = version == 5 ? (0, 1) : (1, 2)
        program.add([0, 9, 2])
        program.add(UInt64(0x1000))
        program.add([4, first, 3, 9, 1])  // line 10
        program.add([2, 0x10, 4, second, 3, 0x7b, 1])  // 16 bytes on, line 5
        program.add([9, 0x10, 0, 4, first, 3, 16, 1])  // 16 bytes on, line 21
        program.add([2, 0x20, 0, 1, 1])
        return lines(program)
    }

    func lines(_ program: FileBytes) -> FileBytes {
        var header = FileBytes()
        header.add(version == 5 ? [1, 1, 1, 0xfb, 14, 13] as [UInt8] : [1, 1, 1, 0xfb, 14, 13])
        header.add([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        if version == 5 {
            header.add([1, 1, 0x1f, 2])
            header.add(UInt32(0))
            header.add(UInt32(5))
            header.add([2, 1, 0x1f, 2, 0x0b, 2])
            header.add(UInt32(9))
            header.add(UInt8(0))
            header.add(UInt32(17))
            header.add(UInt8(1))
        } else {
            header.add("lib")
            header.add(UInt8(0))
            header.add("a.swift")
            header.add([0, 0, 0])
            header.add("b.swift")
            header.add([1, 0, 0, 0])
        }

        var (unit, units) = (FileBytes(), FileBytes())
        unit.add(version)
        if version == 5 { unit.add([8, 0]) }
        unit.add(UInt32(header.count))
        unit.add(header)
        unit.add(program)
        units.addUnit(unit)
        return units
    }
}
