#if DEBUG && canImport(Runtime) && compiler(>=6.2)
    internal import Runtime
#endif

enum CallSite: Sendable {
    case unknown
    case told([String])
    case recorded(CallStack)

    /// The functions, the innermost first.
    var symbols: [String] {
        switch self {
        case .unknown: []
        case .told(let symbols): symbols
        case .recorded(let callStack): callStack.symbols
        }
    }
}

/// The call stack of a thread.
///
/// A debug build uses Swift's module Runtime, which also finds the callers of a task. That module follows frame
/// pointers without checking them, and stops the program if debug information is damaged. So a release build uses
/// ``Callers`` and ``SourceFrames``.
struct CallStack: Sendable {
    private typealias Frame = SourceFrame

    #if DEBUG && canImport(Runtime) && compiler(>=6.2)
        private let backtrace: Backtrace?

        /// The program's images. They are read only once, because a read is unsafe while another thread removes a
        /// mapping.
        private static let images = ImageMap.capture()

        /// The innermost `limit` functions. With `awaitingCallers`, the stack of a task continues with the async
        /// callers of the innermost function. To find them, each thread reads the program's symbol table once.
        static func capture(limit: Int = 64, awaitingCallers: Bool = false) -> CallStack {
            // The first capture reads `Self.images`, before any look-up of names. A look-up maps the program's file a
            // second time, and `images` must not contain that mapping.
            let images = images
            let needsSymbols = awaitingCallers && withUnsafeCurrentTask { $0 != nil }
            var backtrace = try? Backtrace.capture(
                limit: limit, top: 0, images: needsSymbols ? images : ImageMap.empty ?? images)
            // The description of `backtrace` is the key of `known`. Without images, the description contains only
            // addresses.
            backtrace?.images = nil
            return CallStack(backtrace: backtrace)
        }

        /// The latest look-ups, by the stack's addresses.
        private static let known = Locked<[String: [Frame]]>([:])
        private static let mostKnown = 256

        /// The addresses for `addr2line` or `llvm-symbolizer`, the innermost first, with each file's name before its
        /// addresses: `service 0x1f2c 0x2b40 libc.so.6 0x2a1c`. No names are looked up.
        var addresses: String {
            var words: [String] = []
            var last: Int?
            for frame in backtrace?.frames.map(\.adjustedProgramCounter) ?? [] {
                guard let index = Self.images.indexOfImage(at: frame), let address = UInt(frame),
                    let base = UInt(Self.images[index].baseAddress)
                else {
                    continue
                }
                if last != index { words.append(Self.images[index].name ?? "?") }
                last = index
                words.append("0x\(String(address - base, radix: 16))")
            }
            return words.joined(separator: " ")
        }

        private var frames: [Frame] {
            guard let backtrace else { return [] }
            let addresses = "\(backtrace)"
            if let known = Self.known.withLock({ $0[addresses] }) { return known }
            let found: [Frame] =
                backtrace.symbolicated(with: Self.images)?.frames.compactMap { frame in
                    guard let symbol = frame.symbol, !frame.isSwiftThunk, !frame.isSwiftRuntimeFailure else {
                        return nil
                    }
                    let place = symbol.sourceLocation
                    return SourceFrame(function: symbol.name, path: place?.path, line: place?.line ?? 0)
                } ?? []
            Self.known.withLock { known in
                if known.count >= Self.mostKnown { known.removeAll() }
                known[addresses] = found
            }
            return found
        }
    #else
        private let callers: Callers

        /// The innermost `limit` functions. The stack of a task ends at the innermost async function.
        static func capture(limit: Int = 64, awaitingCallers: Bool = false) -> CallStack {
            CallStack(callers: .capture(limit: limit, omitting: 1))
        }

        var addresses: String { callers.text }

        private var frames: [Frame] { callers.frames }
    #endif

    /// The functions, the innermost first. The library's innermost functions are omitted.
    var symbols: [String] { frames.withoutLibrary.map(\.text) }

    /// The places in the program's own code, the innermost first.
    var places: [String] {
        var seen: Set<String> = []
        return frames.compactMap { frame in Self.place(frame) }.filter { seen.insert($0).inserted }
    }

    /// The path of the delivered event, the last step first: places in the program's code and operators.
    var way: [String] {
        var way: [String] = []
        for frame in frames {
            guard let step = Self.place(frame) ?? Self.operator(frame), step != way.last else { continue }
            way.append(step)
        }
        return way
    }

    private static func place(_ frame: Frame) -> String? {
        guard let path = frame.path, frame.line > 0, !frame.isOfLibrary else { return nil }
        return "\(path):\(frame.line)"
    }

    /// ``way`` omits the names of these files, because ``ErrorTrace`` names their operators, or they contain no
    /// operator.
    private static let nameless: Set<Substring> = [
        "ConcatMap", "FlatMap", "FlatMapFirst", "FlatMapLatest", "ScheduledSubscription", "Lift", "LimitedMerge",
        "Merge",
    ]

    /// The operator, named after its file.
    private static func `operator`(_ frame: Frame) -> String? {
        guard let path = frame.path, frame.isOfLibrary, path.contains("/Operators/"),
            !path.contains("/Operators/Support/"), let file = path.split(separator: "/").last
        else {
            return nil
        }
        let name = file.prefix { $0 != "." && $0 != "+" }
        if nameless.contains(name) { return nil }
        switch name {
        case "CatchSequence": return "retry or catch(sequence:)"
        case "Empty": return frame.function.contains("Failure") ? "error" : "empty"
        default: return OperatorName.word(for: name)
        }
    }
}
