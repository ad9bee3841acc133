/// The source lines of the addresses of one compilation unit (`.debug_line`, versions 2 to 5).
struct LineTable {
    private(set) var rows: [UInt64: (file: UInt64, line: Int)] = [:]

    private enum Text {
        case none
        case inTable(UInt64)
        /// An offset in `.debug_line_str`.
        case lineString(UInt64)
        /// An offset in `.debug_str`.
        case string(UInt64)
    }

    private let sections: DebugSections
    /// The folder of the unit, to which other folders are relative.
    private let folder: String
    /// Before version 5, the first entry is `none`, which stands for the unit's folder.
    private var folders: [Text] = []
    private var files: [(name: Text, folder: UInt64)] = []
    /// The number of the first file: 0 in version 5, 1 in earlier versions.
    private var first: UInt64 = 1

    /// A table with more folders or files is damaged.
    private static let mostEntries = 1 << 18
    /// The cost of a row, in bytes of the reading budget.
    private static let costOfRow = 8

    /// Reads the table at `offset`; nil if it is damaged, has an unknown version, or exceeds the budget. The work is
    /// limited: each operation consumes at least a byte, and rows are stored only for the sorted `addresses`.
    init?(_ sections: DebugSections, at offset: UInt64, folder: String, of addresses: [UInt64]) {
        guard let start = Int(exactly: offset) else { return nil }
        (self.sections, self.folder) = (sections, folder)
        var cursor = ByteCursor(sections.lines, at: start)
        let (size, length) = cursor.initialLength()
        guard let end = cursor.end(after: length) else { return nil }
        cursor = ByteCursor(sections.lines, at: cursor.offset, end: end)
        let version: UInt16 = cursor.read()
        guard (2...5).contains(version) else { return nil }
        if version >= 5 { cursor.skip(2) }
        let headerLength = cursor.word(size)
        guard let program = cursor.end(after: headerLength), sections.budget.spend(end - start) else { return nil }
        cursor = ByteCursor(sections.lines, at: cursor.offset, end: program)

        let minimumLength = UInt64(cursor.read(UInt8.self))
        if version >= 4 { cursor.skip(1) }
        cursor.skip(1)
        let (lineBase, lineRange) = (Int64(cursor.read(Int8.self)), UInt64(cursor.read(UInt8.self)))
        let firstSpecial = cursor.read(UInt8.self)
        guard lineRange > 0, firstSpecial > 0 else { return nil }
        var arguments: [UInt8] = [0]
        for _ in 1..<max(1, firstSpecial) { arguments.append(cursor.read()) }
        if version >= 5 {
            folders = Self.entries(&cursor, size).map(\.name)
            files = Self.entries(&cursor, size)
            first = 0
        } else {
            folders = [.none]
            while let name = Self.name(&cursor) {
                if folders.count == Self.mostEntries { return nil }
                folders.append(name)
            }
            while let name = Self.name(&cursor) {
                if files.count == Self.mostEntries { return nil }
                files.append((name, cursor.unsigned()))
                _ = (cursor.unsigned(), cursor.unsigned())
            }
        }
        if cursor.hasFailed { return nil }

        cursor = ByteCursor(sections.lines, at: program, end: end)
        var state = Registers()
        var last: Registers?
        var isSpent = false
        func row() {
            if let last, last.address > 0, let lowest = addresses.first, let highest = addresses.last,
                last.address <= highest, state.address > lowest
            {
                let found = addresses.within(last.address, state.address)
                isSpent = !sections.budget.spend(found.count * Self.costOfRow)
                for address in found { rows[address] = (last.file, Int(clamping: last.line)) }
            }
            last = state
        }
        while !cursor.isAtEnd && !isSpent {
            let code: UInt8 = cursor.read()
            if code >= firstSpecial {
                let step = UInt64(code - firstSpecial)
                state.address &+= step / lineRange &* minimumLength
                state.line &+= lineBase &+ Int64(step % lineRange)
                row()
                continue
            }
            switch code {
            case 0:
                let length = cursor.unsigned()
                guard length > 0, let next = cursor.end(after: length) else { return nil }
                var extended = ByteCursor(sections.lines, at: cursor.offset, end: next)
                switch extended.read(UInt8.self) {
                case 1:
                    row()
                    (state, last) = (Registers(), nil)
                case 2: state.address = extended.word(next - extended.offset)
                default: break
                }
                if extended.hasFailed { return nil }
                cursor.skip(length)
            case 1: row()
            case 2: state.address &+= cursor.unsigned() &* minimumLength
            case 3: state.line &+= cursor.signed()
            case 4: state.file = cursor.unsigned()
            case 8: state.address &+= UInt64(255 - firstSpecial) / lineRange &* minimumLength
            case 9: state.address &+= UInt64(cursor.read(UInt16.self))
            default: for _ in 0..<arguments[Int(code)] { _ = cursor.unsigned() }
            }
        }
        if cursor.hasFailed || isSpent { return nil }
    }

    private struct Registers {
        var address: UInt64 = 0
        var file: UInt64 = 1
        var line: Int64 = 1
    }

    func path(of file: UInt64) -> String? {
        guard file >= first, let index = Int(exactly: file - first), index < files.count,
            let name = text(files[index].name)
        else { return nil }
        guard let index = Int(exactly: files[index].folder), index < folders.count else { return name }
        return text(folders[index]).map { Self.join(Self.join(folder, $0), name) }
    }

    private func text(_ text: Text) -> String? {
        switch text {
        case .none: ""
        case .inTable(let offset): sections.text(sections.lines, at: offset)
        case .lineString(let offset): sections.text(sections.lineStrings, at: offset)
        case .string(let offset): sections.text(sections.strings, at: offset)
        }
    }

    private static func join(_ folder: String, _ name: String) -> String {
        if name.isEmpty { return folder }
        if name.hasPrefix("/") || folder.isEmpty { return name }
        return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Returns the next name of a list in version 4 or earlier; nil for the empty name that ends the list.
    private static func name(_ cursor: inout ByteCursor) -> Text? {
        let start = cursor.offset
        cursor.skipText()
        return cursor.hasFailed || cursor.offset == start + 1 ? nil : .inTable(UInt64(start))
    }

    /// The folders or the files of version 5.
    private static func entries(_ cursor: inout ByteCursor, _ size: Int) -> [(name: Text, folder: UInt64)] {
        var formats: [(content: UInt64, form: UInt64)] = []
        for _ in 0..<cursor.read(UInt8.self) { formats.append((cursor.unsigned(), cursor.unsigned())) }
        var entries: [(name: Text, folder: UInt64)] = []
        let count = cursor.unsigned()
        if count > mostEntries { cursor.fail() }
        while UInt64(entries.count) < count, !formats.isEmpty, !cursor.isAtEnd {
            var entry = (name: Text.none, folder: UInt64(0))
            for (content, form) in formats {
                var (text, number) = (Text.none, UInt64(0))
                switch form {
                case 0x08:
                    text = .inTable(UInt64(cursor.offset))
                    cursor.skipText()
                case 0x1f: text = .lineString(cursor.word(size))
                case 0x0e: text = .string(cursor.word(size))
                case 0x0b: number = cursor.word(1)
                case 0x05: number = cursor.word(2)
                case 0x06: number = cursor.word(4)
                case 0x07: number = cursor.word(8)
                case 0x0f: number = cursor.unsigned()
                case 0x1e: cursor.skip(16)
                case 0x09: cursor.skip(cursor.unsigned())
                default: cursor.fail()
                }
                if content == 1 { entry.name = text }
                if content == 2 { entry.folder = number }
            }
            entries.append(entry)
        }
        if UInt64(entries.count) < count { cursor.fail() }
        return entries
    }
}

extension ByteCursor {
    /// The length of a unit, and the size of offsets: 4, or 8 if the length has 64 bits.
    mutating func initialLength() -> (size: Int, length: UInt64) {
        let length: UInt32 = read()
        if length == 0xffff_ffff { return (8, read()) }
        if length >= 0xffff_fff0 { fail() }
        return (4, UInt64(length))
    }

    /// The offset after `length` more bytes; nil if it is beyond the end.
    func end(after length: UInt64) -> Int? {
        var cursor = self
        cursor.skip(length)
        return cursor.hasFailed ? nil : cursor.offset
    }
}
