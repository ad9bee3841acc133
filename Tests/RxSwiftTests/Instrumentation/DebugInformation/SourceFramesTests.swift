import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct SourceFramesTests {
    private static func frames(_ program: [UInt8], at addresses: UInt64...) -> [UInt64: [String]]? {
        program.withUnsafeBytes { DebugSections(elf: $0)?.frames(at: addresses).mapValues { $0.map(\.text) } }
    }

    @Test(arguments: [4, 5]) func addressHasFunctionFileAndLine(version: UInt16) {
        let frames = Self.frames(MadeProgram(version: version).bytes, at: 0x1000, 0x100f, 0x1020, 0x103f)
        #expect(
            frames == [
                0x1000: ["outer at /src/a.swift:10"], 0x100f: ["outer at /src/a.swift:10"],
                0x1020: ["outer at /src/a.swift:21"], 0x103f: ["outer at /src/a.swift:21"],
            ])
    }

    @Test(arguments: [4, 5]) func inlinedCallHasBothPlaces(version: UInt16) {
        let frames = Self.frames(MadeProgram(version: version).bytes, at: 0x1010, 0x101f)
        let both = ["inner at /src/lib/b.swift:5", "outer at /src/a.swift:20"]
        #expect(frames == [0x1010: both, 0x101f: both])
    }

    /// An unoptimized unit has no inlined functions, so the lookup does not search for functions.
    @Test(arguments: [4, 5]) func unoptimizedUnitHasOnlyPlaces(version: UInt16) {
        let frames = Self.frames(MadeProgram(version: version, isOptimized: false).bytes, at: 0x1010, 0x1020)
        #expect(frames == [0x1010: ["/src/lib/b.swift:5"], 0x1020: ["/src/a.swift:21"]])
    }

    @Test func addressWithoutDebugInformationHasSymbolAndOffset() {
        let expected: [UInt64: [String]] = [0x1015: ["outer + 0x16"], 0x1040: ["other + 0x1"]]
        #expect(Self.frames(MadeProgram(hasDebugInformation: false).bytes, at: 0x1015, 0x1040, 0x1080) == expected)
        #expect(Self.frames(MadeProgram(isCompressed: true).bytes, at: 0x1015, 0x1040, 0x1080) == expected)
        #expect(Self.frames(MadeProgram().bytes, at: 0x1040) == [0x1040: ["other + 0x1"]])
    }

    @Test func strippedProgramHasNoFrames() {
        let stripped = MadeProgram(hasDebugInformation: false, hasSymbols: false)
        #expect(Self.frames(stripped.bytes, at: 0x1015) == [:])
        #expect(Self.frames([], at: 0x1015) == nil)
        #expect(Self.frames(Array("#!/bin/sh\n".utf8), at: 0x1015) == nil)
    }

    @Test(arguments: [4, 5]) func damagedProgramStopsNothing(version: UInt16) {
        let whole = MadeProgram(version: version).bytes
        var random = Seeded(UInt64(version))
        var changed = 0
        for _ in 0..<4_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...64, using: &random)) }
            let found = Self.frames(bytes, at: 0x1000, 0x1015, 0x1050)
            if found != Self.frames(whole, at: 0x1000, 0x1015, 0x1050) { changed += 1 }
        }
        #expect(changed > 1_000)
    }

    // MARK: The budget

    /// Without a limit, the lookup would read 200,000 bytes of lines for each of 10,000 units.
    @Test(.timeLimit(.minutes(5))) func linesOfManyUnitsEndWithinBudget() {
        let made = MadeProgram(version: 4)
        var program = FileBytes()
        program.add([UInt8](repeating: 2, count: 200_000))
        let bytes = made.bytes(units: 10_000, lines: made.lines(program).bytes)
        #expect(Self.frames(bytes, at: 0x1015) == [0x1015: ["outer + 0x16"]])
    }

    /// Without a limit, `LineTable` would process 8,192 addresses for each of 20,000 rows.
    @Test(.timeLimit(.minutes(5))) func rowsOfManyAddressesEndWithinBudget() {
        let made = MadeProgram(version: 4)
        var program = FileBytes()
        for _ in 0..<20_000 {
            for address: UInt64 in [0x1000, 0x10_0000] {
                program.add([0, 9, 2])
                program.add(address)
                program.add(UInt8(1))
            }
        }
        made.bytes(units: 1, lines: made.lines(program).bytes).withUnsafeBytes { bytes in
            let sections = DebugSections(elf: bytes)
            let addresses = (0x1000..<0x3000).map { UInt64($0) }
            #expect(sections.flatMap { LineTable($0, at: 0, folder: "", of: addresses) } == nil)
            #expect(sections?.budget.isSpent == true)
        }
    }

    /// Without a limit, the lookup would read 40,000 abbreviations for each of 15,000 units.
    @Test(.timeLimit(.minutes(5))) func abbreviationsOfManyUnitsEndWithinBudget() {
        var (abbreviations, unit, units) = (FileBytes(), FileBytes(), FileBytes())
        for _ in 0..<40_000 { abbreviations.add([2, 0x24, 0, 0x0b, 0x0b, 0, 0]) }
        abbreviations.add([1, 0x11, 0, 0x10, 0x17, 0, 0])
        unit.add([4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0])
        for _ in 0..<15_000 { units.addUnit(unit) }
        let bytes = MadeProgram.file([(".debug_info", 1, units), (".debug_abbrev", 1, abbreviations)])
        bytes.withUnsafeBytes { bytes in
            let sections = DebugSections(elf: bytes)
            #expect(sections?.frames(at: [0x1000]).isEmpty == true)
            #expect(sections?.budget.isSpent == true)
        }
    }

    @Test func tableWithTooManyFilesIsRejected() {
        for count in [1_000, 300_000] {
            var (unit, units) = (FileBytes(), FileBytes())
            unit.add([4, 0])
            unit.add(UInt32(6 + 12 + 1 + 5 * count + 1))
            unit.add([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0])
            for _ in 0..<count { unit.add([0x61, 0, 0, 0, 0]) }
            unit.add(UInt8(0))
            units.addUnit(unit)
            MadeProgram.file([(".debug_line", 1, units)]).withUnsafeBytes { bytes in
                let table = DebugSections(elf: bytes).flatMap { LineTable($0, at: 0, folder: "", of: [0x1000]) }
                #expect((table != nil) == (count == 1_000))
            }
        }
    }

    #if os(Linux)
        private static func ownLines() -> FileBytes? {
            guard let image = ProgramImage(path: "/proc/self/exe") else { return nil }
            let lines = image.sections.lines
            var cursor = ByteCursor(lines)
            while !cursor.isAtEnd {
                let start = cursor.offset
                let (_, length) = cursor.initialLength()
                guard let end = cursor.end(after: length) else { return nil }
                if (8_000..<64_000).contains(length) {
                    var bytes = FileBytes()
                    bytes.add(Array(lines[start..<end]))
                    return bytes
                }
                cursor.skip(length)
            }
            return nil
        }

        @Test(.timeLimit(.minutes(5))) func damagedLinesOfThisProgramStopNothing() throws {
            let whole = MadeProgram.file([(".debug_line", 1, try #require(Self.ownLines()))])
            let all = stride(from: 0x1000, to: 1 << 28, by: 256).map { UInt64($0) }
            let table = whole.withUnsafeBytes { bytes in
                DebugSections(elf: bytes).flatMap { LineTable($0, at: 0, folder: "", of: all) }
            }
            let addresses = try #require(table).rows.keys.sorted()
            var (random, rejected, found) = (Seeded(1), 0, 0)
            for _ in 0..<300 {
                var bytes = whole
                // No round changes the header. Half of the rounds change only the start of the line table.
                let end = Bool.random(using: &random) ? 64 + 512 : whole.count
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 64..<end, using: &random)] ^= UInt8(1) << Int.random(in: 0..<8, using: &random)
                }
                bytes.withUnsafeBytes { bytes in
                    let table = DebugSections(elf: bytes).flatMap { LineTable($0, at: 0, folder: "", of: addresses) }
                    guard let table else { return rejected += 1 }
                    found += table.rows.count
                    for row in table.rows.values { _ = table.path(of: row.file) }
                }
            }
            #expect(rejected > 30 && rejected < 300 && found > 0)
        }
    #endif

    @Test func eachTruncationStopsNothing() {
        let whole = MadeProgram().bytes
        // The lookup does not need the last 20 bytes of the file.
        for count in 0..<whole.count - 20 { #expect(Self.frames(Array(whole[..<count]), at: 0x1015) == nil) }
    }

    @Test func numberWithoutItsLastByteFails() {
        let bytes: [UInt8] = [0x85, 0x83]
        bytes.withUnsafeBytes { bytes in
            var (unsigned, signed) = (ByteCursor(bytes), ByteCursor(bytes))
            #expect(unsigned.unsigned() == 0 && unsigned.hasFailed)
            #expect(signed.signed() == 0 && signed.hasFailed)
        }
    }

    @Test(arguments: [
        ("$s7RxSwift7SubjectC", true), ("$s7RxRelay0B0C", true), ("$s10RxSwiftExt5CountV", true),
        ("$s11RxOperators4PairV", true), ("$s9RxSwifter4mainyyF", false), ("$s6orders4mainyyF", false),
    ])
    func symbolOfModuleOfPackageIsOfLibrary(symbol: String, isOfLibrary: Bool) {
        #expect(SourceFrame(function: "\(symbol) + 0x1c").isOfLibrary == isOfLibrary)
    }

    #if canImport(Glibc)
        @Test func stacksFoundTogetherAreThoseFoundAlone() {
            let stacks = [Callers.capture(limit: 16, omitting: 0), Callers(), Callers.capture(limit: 3, omitting: 1)]
            let frames = Callers.frames(of: stacks)
            #expect(frames == stacks.map(\.frames))
            #expect(frames[1].isEmpty && !frames[0].isEmpty && frames[0] != frames[2])
        }

        @Test func callersNameThisFileAndLine() {
            let line = #line + 1
            let frames = Callers.capture(limit: 16, omitting: 0).frames
            let first = frames.first { !$0.isOfLibrary }
            #expect(first?.text.hasSuffix("SourceFramesTests.swift:\(line)") == true, "\(frames)")
        }
    #endif
}
