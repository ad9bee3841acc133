/// A compilation unit of `.debug_info`, versions 2 to 5.
struct CompilationUnit {
    /// The offset of the unit's header, to which references within the unit are relative.
    let start: Int
    let end: Int
    private let version: UInt16
    private let addressSize: Int
    private let offsetSize: Int
    private let abbreviations: UInt64
    private let firstEntry: Int

    // Values of the unit's root entry.
    private(set) var lineTable: UInt64?
    private(set) var folder = ""
    /// Whether Swift's compiler has marked the unit as optimized. Only optimized units are searched for inlined
    /// functions.
    private(set) var isOptimized = false
    private var low: UInt64 = 0
    private var stringOffsets: UInt64 = 0
    private var addresses: UInt64 = 0
    private var rangeLists: UInt64 = 0
    private var extent = Extent()

    fileprivate struct Extent {
        var low: AttributeValue?
        var high: AttributeValue?
        var ranges: AttributeValue?
    }

    /// Calls `body` with each unit that contains some of the sorted `addresses`.
    static func each(_ sections: DebugSections, at addresses: [UInt64], _ body: (CompilationUnit, [UInt64]) -> Void) {
        var cursor = ByteCursor(sections.information)
        while !cursor.isAtEnd && !sections.budget.isSpent {
            let start = cursor.offset
            let (size, length) = cursor.initialLength()
            guard let end = cursor.end(after: length), end > start else { return }
            if let unit = CompilationUnit(sections, start: start, at: cursor.offset, end: end, offsetSize: size) {
                let found = unit.contained(addresses, unit.extent, sections)
                if !found.isEmpty { body(unit, found) }
            }
            cursor.skip(length)
        }
    }

    private init?(_ sections: DebugSections, start: Int, at offset: Int, end: Int, offsetSize: Int) {
        var cursor = ByteCursor(sections.information, at: offset, end: end)
        (self.start, self.end, self.offsetSize) = (start, end, offsetSize)
        version = cursor.read()
        guard (2...5).contains(version) else { return nil }
        if version >= 5 {
            // A compilation unit or a partial unit. Other types of units have no lines.
            guard [1, 3].contains(cursor.read(UInt8.self)) else { return nil }
            addressSize = Int(cursor.read(UInt8.self))
            abbreviations = cursor.word(offsetSize)
        } else {
            abbreviations = cursor.word(offsetSize)
            addressSize = Int(cursor.read(UInt8.self))
        }
        firstEntry = cursor.offset
        guard [4, 8].contains(addressSize), !cursor.hasFailed else { return nil }

        let code = cursor.unsigned()
        guard let root = Abbreviation.read(sections, at: abbreviations, upTo: code)[code],
            sections.budget.spend(root.attributes.count)
        else { return nil }
        var name: AttributeValue?
        var lowest: AttributeValue?
        for attribute in root.attributes {
            let value = read(attribute, &cursor)
            switch attribute.name {
            case 0x10: lineTable = value.number
            case 0x11: lowest = value
            case 0x1b: name = value
            case 0x72: stringOffsets = value.number
            case 0x73: addresses = value.number
            case 0x74: rangeLists = value.number
            case 0x3fe1: isOptimized = value.number != 0
            default: break
            }
            extent.note(attribute.name, value)
        }
        if cursor.hasFailed { return nil }
        low = lowest.flatMap { address($0, sections) } ?? 0
        folder = name.flatMap { text($0, sections) } ?? ""
    }

    // MARK: Values

    fileprivate struct AttributeValue {
        enum Kind {
            case other, address, addressIndex, constant, offset, listIndex, text, string, lineString, stringIndex
            case unitReference, reference
        }

        var kind: Kind
        var number: UInt64 = 0
    }

    private func read(_ attribute: Abbreviation.Attribute, _ cursor: inout ByteCursor) -> AttributeValue {
        var form = attribute.form
        // DW_FORM_indirect: the entry contains the form.
        while form == 0x16 && !cursor.isAtEnd { form = cursor.unsigned() }
        switch form {
        case 0x01: return AttributeValue(kind: .address, number: cursor.word(addressSize))
        case 0x03: cursor.skip(cursor.word(2))
        case 0x04: cursor.skip(cursor.word(4))
        case 0x05: return AttributeValue(kind: .constant, number: cursor.word(2))
        case 0x06: return AttributeValue(kind: version < 4 ? .offset : .constant, number: cursor.word(4))
        case 0x07: return AttributeValue(kind: version < 4 ? .offset : .constant, number: cursor.word(8))
        case 0x08:
            let start = cursor.offset
            cursor.skipText()
            return AttributeValue(kind: .text, number: UInt64(start))
        case 0x09, 0x18: cursor.skip(cursor.unsigned())
        case 0x0a: cursor.skip(cursor.word(1))
        case 0x0b, 0x0c: return AttributeValue(kind: .constant, number: cursor.word(1))
        case 0x0d: return AttributeValue(kind: .constant, number: UInt64(bitPattern: cursor.signed()))
        case 0x0e: return AttributeValue(kind: .string, number: cursor.word(offsetSize))
        case 0x0f: return AttributeValue(kind: .constant, number: cursor.unsigned())
        case 0x10:
            return AttributeValue(kind: .reference, number: cursor.word(version < 3 ? addressSize : offsetSize))
        case 0x11: return AttributeValue(kind: .unitReference, number: cursor.word(1))
        case 0x12: return AttributeValue(kind: .unitReference, number: cursor.word(2))
        case 0x13: return AttributeValue(kind: .unitReference, number: cursor.word(4))
        case 0x14: return AttributeValue(kind: .unitReference, number: cursor.word(8))
        case 0x15: return AttributeValue(kind: .unitReference, number: cursor.unsigned())
        case 0x17: return AttributeValue(kind: .offset, number: cursor.word(offsetSize))
        case 0x19: return AttributeValue(kind: .constant, number: 1)
        case 0x1a: return AttributeValue(kind: .stringIndex, number: cursor.unsigned())
        case 0x1b: return AttributeValue(kind: .addressIndex, number: cursor.unsigned())
        case 0x1c: cursor.skip(4)
        case 0x1e: cursor.skip(16)
        case 0x1f: return AttributeValue(kind: .lineString, number: cursor.word(offsetSize))
        case 0x20, 0x24: cursor.skip(8)
        case 0x21: return AttributeValue(kind: .constant, number: attribute.constant)
        case 0x22, 0x23: return AttributeValue(kind: .listIndex, number: cursor.unsigned())
        case 0x25...0x28: return AttributeValue(kind: .stringIndex, number: cursor.word(Int(form - 0x24)))
        case 0x29...0x2c: return AttributeValue(kind: .addressIndex, number: cursor.word(Int(form - 0x28)))
        // References to another file.
        case 0x1d, 0x1f20, 0x1f21: cursor.skip(UInt64(offsetSize))
        default: cursor.fail()
        }
        return AttributeValue(kind: .other)
    }

    private func entry(_ index: UInt64, _ table: UnsafeRawBufferPointer, _ base: UInt64, _ size: Int) -> UInt64? {
        let (product, isTooLarge) = index.multipliedReportingOverflow(by: UInt64(size))
        guard !isTooLarge, let start = Int(exactly: base.addingReportingOverflow(product).partialValue) else {
            return nil
        }
        var cursor = ByteCursor(table, at: start)
        let word = cursor.word(size)
        return cursor.hasFailed ? nil : word
    }

    private func address(_ value: AttributeValue, _ sections: DebugSections) -> UInt64? {
        switch value.kind {
        case .address: value.number
        case .addressIndex: entry(value.number, sections.addresses, addresses, addressSize)
        default: nil
        }
    }

    private func text(_ value: AttributeValue, _ sections: DebugSections) -> String? {
        switch value.kind {
        case .text: sections.text(sections.information, at: value.number)
        case .string: sections.text(sections.strings, at: value.number)
        case .lineString: sections.text(sections.lineStrings, at: value.number)
        case .stringIndex:
            entry(value.number, sections.stringOffsets, stringOffsets, offsetSize)
                .flatMap { sections.text(sections.strings, at: $0) }
        default: nil
        }
    }

    // MARK: Addresses

    /// The sorted `targets` that are in the ranges of an entry. Ranges at address 0 are ignored, because the linker has
    /// removed their code.
    private func contained(_ targets: [UInt64], _ extent: Extent, _ sections: DebugSections) -> [UInt64] {
        if let ranges = extent.ranges {
            var found: Set<UInt64> = []
            let add = { (low: UInt64, high: UInt64) in
                if low == 0 { return }
                let contained = targets.within(low, high)
                sections.budget.spend(contained.count)
                found.formUnion(contained)
            }
            if version < 5 { readRanges(ranges.number, sections, add) } else { readRangeList(ranges, sections, add) }
            return found.sorted()
        }
        guard let low = extent.low.flatMap({ address($0, sections) }), low > 0, let high = extent.high else {
            return []
        }
        let end = high.kind == .constant ? low &+ high.number : address(high, sections) ?? 0
        let contained = targets.within(low, end)
        sections.budget.spend(contained.count)
        return Array(contained)
    }

    private func readRanges(_ offset: UInt64, _ sections: DebugSections, _ body: (UInt64, UInt64) -> Void) {
        guard let start = Int(exactly: offset) else { return }
        var cursor = ByteCursor(sections.ranges, at: start)
        var base = low
        while !cursor.isAtEnd && sections.budget.spend(2 * addressSize) {
            let (first, last) = (cursor.word(addressSize), cursor.word(addressSize))
            if cursor.hasFailed || (first == 0 && last == 0) { return }
            if first == (addressSize == 8 ? UInt64.max : 0xffff_ffff) {
                base = last
            } else {
                body(base &+ first, base &+ last)
            }
        }
    }

    private func readRangeList(
        _ value: AttributeValue, _ sections: DebugSections, _ body: (UInt64, UInt64) -> Void
    ) {
        var offset: UInt64? = value.number
        if value.kind == .listIndex {
            offset = entry(value.number, sections.rangeLists, rangeLists, offsetSize).map { $0 &+ rangeLists }
        }
        guard let start = offset.flatMap({ Int(exactly: $0) }) else { return }
        var cursor = ByteCursor(sections.rangeLists, at: start)
        var base = low
        func indexed() -> UInt64? { entry(cursor.unsigned(), sections.addresses, addresses, addressSize) }
        // An entry has at least two bytes.
        while !cursor.isAtEnd && sections.budget.spend(2) {
            switch cursor.read(UInt8.self) {
            case 1: base = indexed() ?? 0
            case 2:
                let (first, last) = (indexed(), indexed())
                if let first, let last { body(first, last) }
            case 3:
                let (first, length) = (indexed(), cursor.unsigned())
                if let first { body(first, first &+ length) }
            case 4: body(base &+ cursor.unsigned(), base &+ cursor.unsigned())
            case 5: base = cursor.word(addressSize)
            case 6: body(cursor.word(addressSize), cursor.word(addressSize))
            case 7:
                let first = cursor.word(addressSize)
                body(first, first &+ cursor.unsigned())
            default: return
            }
        }
    }

    // MARK: Functions

    /// A function that contains an address, or was inlined there.
    struct Scope {
        var name: String?
        /// The place of the call, for an inlined function.
        var callFile: UInt64 = 0
        var callLine = 0
    }

    /// Returns, for each of the sorted `targets`, its function and then the functions inlined there, the innermost
    /// last.
    func scopes(at targets: [UInt64], _ sections: DebugSections) -> [UInt64: [Scope]] {
        let known = Abbreviation.read(sections, at: abbreviations, upTo: nil)
        var found: [UInt64: [(entry: Int, file: UInt64, line: UInt64)]] = [:]
        var cursor = ByteCursor(sections.information, at: firstEntry, end: end)
        while !cursor.isAtEnd {
            let offset = cursor.offset
            let code = cursor.unsigned()
            if code == 0 { continue }
            guard let entry = known[code] else { break }
            if !entry.isFunction {
                if let size = entry.size(addressSize, offsetSize) {
                    cursor.skip(size)
                } else {
                    guard sections.budget.spend(entry.attributes.count) else { break }
                    for attribute in entry.attributes { _ = read(attribute, &cursor) }
                }
                continue
            }
            // Counts attributes, not bytes, because an attribute may have no bytes.
            guard sections.budget.spend(entry.attributes.count) else { break }
            var (extent, file, line) = (Extent(), UInt64(0), UInt64(0))
            for attribute in entry.attributes {
                let value = read(attribute, &cursor)
                if attribute.name == 0x58 { file = value.number }
                if attribute.name == 0x59 { line = value.number }
                extent.note(attribute.name, value)
            }
            if cursor.hasFailed { break }
            for target in contained(targets, extent, sections) {
                // In an intact file, a target is in at most a few dozen functions.
                if found[target, default: []].count < 256 { found[target, default: []].append((offset, file, line)) }
            }
        }
        return found.mapValues { scopes in
            scopes.map {
                Scope(
                    name: name(of: $0.entry, sections, known, hops: 4), callFile: $0.file,
                    callLine: Int(clamping: $0.line))
            }
        }
    }

    private func name(
        of offset: Int, _ sections: DebugSections, _ known: [UInt64: Abbreviation], hops: Int
    ) -> String? {
        guard hops > 0, offset >= firstEntry else { return nil }
        var cursor = ByteCursor(sections.information, at: offset, end: end)
        guard let entry = known[cursor.unsigned()], sections.budget.spend(entry.attributes.count) else { return nil }
        var (name, symbol, origin) = (String?.none, String?.none, Int?.none)
        for attribute in entry.attributes {
            let value = read(attribute, &cursor)
            switch attribute.name {
            case 0x03: name = text(value, sections)
            case 0x6e: symbol = text(value, sections)
            case 0x31, 0x47:
                switch value.kind {
                case .unitReference:
                    origin = Int(exactly: UInt64(start).addingReportingOverflow(value.number).partialValue)
                case .reference: origin = Int(exactly: value.number)
                default: break
                }
            default: break
            }
        }
        if cursor.hasFailed || !sections.budget.spend(cursor.offset - offset) { return nil }
        return name ?? origin.flatMap { self.name(of: $0, sections, known, hops: hops - 1) } ?? symbol
    }
}

extension CompilationUnit.Extent {
    fileprivate mutating func note(_ name: UInt64, _ value: CompilationUnit.AttributeValue) {
        switch name {
        case 0x11: low = value
        case 0x12: high = value
        case 0x55: ranges = value
        default: break
        }
    }
}

struct Abbreviation {
    struct Attribute {
        var name: UInt64
        var form: UInt64
        /// The value of DW_FORM_implicit_const, which is stored in the abbreviation.
        var constant: UInt64 = 0
    }

    let isFunction: Bool
    private(set) var attributes: [Attribute] = []
    private var words = (fixed: UInt64(0), addresses: UInt64(0), offsets: UInt64(0))
    private var isFixed = true

    /// The size of an entry in bytes; nil if it varies.
    func size(_ addressSize: Int, _ offsetSize: Int) -> UInt64? {
        isFixed ? words.fixed + words.addresses * UInt64(addressSize) + words.offsets * UInt64(offsetSize) : nil
    }

    /// A table with more attributes is damaged.
    private static let mostAttributes = 1 << 18

    /// Reads the table at `offset`, up to the entry `last` or the end. Empty if the table is too large.
    static func read(_ sections: DebugSections, at offset: UInt64, upTo last: UInt64?) -> [UInt64: Abbreviation] {
        guard let start = Int(exactly: offset) else { return [:] }
        var cursor = ByteCursor(sections.abbreviations, at: start)
        var table: [UInt64: Abbreviation] = [:]
        var count = 0
        defer { sections.budget.spend(max(0, cursor.offset - start)) }
        while !cursor.isAtEnd {
            let code = cursor.unsigned()
            if code == 0 { break }
            let tag = cursor.unsigned()
            cursor.skip(1)
            // A function, or an inlined function.
            var entry = Abbreviation(isFunction: tag == 0x2e || tag == 0x1d)
            while !cursor.isAtEnd {
                var attribute = Attribute(name: cursor.unsigned(), form: cursor.unsigned())
                if attribute.name == 0 && attribute.form == 0 { break }
                if attribute.form == 0x21 { attribute.constant = UInt64(bitPattern: cursor.signed()) }
                entry.append(attribute)
                if entry.attributes.count + count > mostAttributes { return [:] }
            }
            if cursor.hasFailed { break }
            count += entry.attributes.count + 1
            table[code] = entry
            if code == last { break }
        }
        return table
    }

    private init(isFunction: Bool) {
        self.isFunction = isFunction
    }

    private mutating func append(_ attribute: Attribute) {
        attributes.append(attribute)
        switch attribute.form {
        case 0x01: words.addresses += 1
        case 0x0b, 0x0c, 0x11, 0x25, 0x29: words.fixed += 1
        case 0x05, 0x12, 0x26, 0x2a: words.fixed += 2
        case 0x27, 0x2b: words.fixed += 3
        case 0x06, 0x13, 0x1c, 0x28, 0x2c: words.fixed += 4
        case 0x07, 0x14, 0x20, 0x24: words.fixed += 8
        case 0x1e: words.fixed += 16
        case 0x0e, 0x17, 0x1d, 0x1f, 0x1f20, 0x1f21: words.offsets += 1
        case 0x19, 0x21: break
        default: isFixed = false
        }
    }
}
