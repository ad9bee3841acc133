internal import CRxCore

struct SourceFrame: Sendable, Equatable {
    /// The name or, without debug information, the symbol and an offset: `$s4main4sendyyF + 0x1c`.
    var function: String
    var path: String?
    /// The line; 0 if it is unknown, or the compiler has generated the code.
    var line = 0

    var text: String {
        guard let path, line > 0 else { return function }
        return function.isEmpty ? "\(path):\(line)" : "\(function) at \(path):\(line)"
    }
}

extension SourceFrame {
    private static let library = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/\($1)" } + "/"

    private static let modules = [
        "RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxBlocking", "RxSwiftExt", "RxResilience", "RxOperators",
    ].map { "$s\($0.utf8.count)\($0)" }

    /// Whether the function is in the sources of this package or, without debug information, in one of its modules.
    var isOfLibrary: Bool { path?.hasPrefix(Self.library) ?? Self.modules.contains { function.hasPrefix($0) } }
}

extension Array<SourceFrame> {
    /// Drops the library's innermost frames. If all frames belong to the library, returns all.
    var withoutLibrary: ArraySlice<SourceFrame> {
        let ofProgram = drop(while: \.isOfLibrary)
        return ofProgram.isEmpty ? self[...] : ofProgram
    }
}

/// Finds the functions, files and lines of return addresses in the executable's symbols and debug information (DWARF).
///
/// For an address in a shared library, only a symbol and an offset are found.
enum SourceFrames {
    /// The latest look-ups, by return address. An inlined function comes before its caller.
    private static let known = Locked<[UInt: [SourceFrame]]>([:])
    private static let mostKnown = 4_096

    /// The functions at return addresses, the innermost first.
    static func of(_ addresses: [UInt]) -> [SourceFrame] { of([addresses])[0] }

    static func of(_ stacks: [[UInt]]) -> [[SourceFrame]] {
        var (found, missing) = ([UInt: [SourceFrame]](), Set<UInt>())
        known.withLock { known in
            for address in stacks.joined() {
                if let frames = known[address] { found[address] = frames } else { missing.insert(address) }
            }
        }
        if !missing.isEmpty {
            let read = read(missing)
            found.merge(read) { _, new in new }
            known.withLock { known in
                if known.count + read.count > mostKnown { known.removeAll() }
                for (address, frames) in read.prefix(mostKnown) { known[address] = frames }
            }
        }
        return stacks.map { $0.flatMap { found[$0] ?? [] } }
    }

    private static func read(_ addresses: Set<UInt>) -> [UInt: [SourceFrame]] {
        var (frames, inProgram) = ([UInt: [SourceFrame]](), [UInt64: UInt]())
        for address in addresses {
            // If a call that does not return is a function's last instruction, the return address belongs to the next
            // function. So the preceding address is looked up.
            let call = address &- 1
            guard let pointer = UnsafeMutableRawPointer(bitPattern: call) else { continue }
            var bias: UInt = 0
            if crx_watch_program(pointer, &bias) {
                inProgram[UInt64(call &- bias)] = address
            } else {
                frames[address] = shared(pointer)
            }
        }
        let image = inProgram.isEmpty ? nil : ProgramImage(path: "/proc/self/exe")
        let found = image?.sections.frames(at: inProgram.keys.sorted()) ?? [:]
        for (target, address) in inProgram {
            let pointer = UnsafeMutableRawPointer(bitPattern: address)
            frames[address] = found[target] ?? pointer.map { [unknown($0)] } ?? []
        }
        return frames
    }

    private static func shared(_ pointer: UnsafeMutableRawPointer) -> [SourceFrame] {
        var (offset, symbolOffset): (UInt, UInt) = (0, 0)
        var symbol: UnsafePointer<CChar>?
        guard crx_watch_image(pointer, &offset, &symbol, &symbolOffset) != nil else { return [] }
        // `pointer` is one less than the return address.
        if let symbol {
            return [SourceFrame(function: "\(String(cString: symbol)) + 0x\(String(symbolOffset + 1, radix: 16))")]
        }
        return [unknown(pointer + 1)]
    }

    private static func unknown(_ pointer: UnsafeMutableRawPointer) -> SourceFrame {
        SourceFrame(function: Callers.image(of: pointer).map { "\($0.file)+0x\(String($0.offset, radix: 16))" } ?? "?")
    }
}

extension DebugSections {
    /// The functions at sorted call addresses, the innermost first. If the budget of the debug information is used up,
    /// only symbols are used.
    func frames(at targets: [UInt64]) -> [UInt64: [SourceFrame]] {
        var frames: [UInt64: [SourceFrame]] = [:]
        CompilationUnit.each(self, at: targets) { unit, targets in
            guard let offset = unit.lineTable,
                let table = LineTable(self, at: offset, folder: unit.folder, of: targets)
            else { return }
            let scopes = unit.isOptimized ? unit.scopes(at: targets, self) : [:]
            for target in targets {
                guard let row = table.rows[target] else { continue }
                var (file, line) = (row.file, row.line)
                var found: [SourceFrame] = []
                for scope in (scopes[target] ?? []).reversed() {
                    found.append(SourceFrame(function: scope.name ?? "", path: table.path(of: file), line: line))
                    (file, line) = (scope.callFile, scope.callLine)
                }
                if found.isEmpty { found = [SourceFrame(function: "", path: table.path(of: file), line: line)] }
                // Generated code has line 0, or is in the file `<compiler-generated>`.
                frames[target] = found.filter { $0.line > 0 && $0.path?.hasSuffix(">") == false }
            }
        }
        if budget.isSpent { frames = [:] }
        let missing = targets.filter { frames[$0] == nil }
        for (target, symbol) in missing.isEmpty ? [:] : symbols(at: missing) {
            // The target is one less than the return address.
            let offset = String(symbol.offset + 1, radix: 16)
            frames[target] = [SourceFrame(function: "\(symbol.name) + 0x\(offset)")]
        }
        return frames
    }
}
