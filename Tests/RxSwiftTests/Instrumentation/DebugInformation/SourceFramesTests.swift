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

    /// Without optimization nothing is inlined, and functions are not looked for.
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

    /// A damaged file gives other frames or none. It must not stop the process.
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

    @Test func eachTruncationStopsNothing() {
        let whole = MadeProgram().bytes
        // The last 20 bytes are fields that are not read.
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
            let places = Callers.places(of: stacks)
            #expect(places == stacks.map(\.places))
            #expect(places[1].isEmpty && !places[0].isEmpty && places[0] != places[2])
        }

        @Test func callersNameThisFileAndLine() {
            let line = #line + 1
            let frames = Callers.capture(limit: 16, omitting: 0).frames
            let first = frames.first { !$0.isOfLibrary }
            #expect(first?.text.hasSuffix("SourceFramesTests.swift:\(line)") == true, "\(frames)")
        }
    #endif
}
