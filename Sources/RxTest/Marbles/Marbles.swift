/// The marks of a marble string, each with its frame.
struct Marbles {
    enum Symbol: Equatable {
        case element(Character)
        case completed, error, subscription, unsubscription
    }

    struct Mark {
        let symbol: Symbol
        let frame: Int
        /// The column in `text`; the first column is 1.
        let column: Int
    }

    let text: String
    private(set) var marks: [Mark] = []

    private let characters: [Character]
    private var index = 0
    private var frame = 0

    /// - Parameter resolution: the length of a frame, in seconds.
    init(_ text: String, resolution: Double) throws(MarbleSyntaxError) {
        self.text = text
        characters = Array(text)
        while index < characters.count {
            switch characters[index] {
            case "-": pass(frames: 1)
            case "(": try readGroup()
            case "{": try readSpan(resolution: resolution)
            case ")": throw fault("`)` closes no group")
            case "}": throw fault("`}` closes no time span")
            case let character where character.isWhitespace: index += 1
            case let character:
                mark(character)
                pass(frames: 1)
            }
        }
    }

    static let reserved: Set<Character> = ["-", "(", ")", "{", "}", "|", "#", "^", "!"]

    func fault(_ reason: String, at mark: Mark) -> MarbleSyntaxError {
        MarbleSyntaxError(reason: reason, text: text, column: mark.column)
    }

    func fault(_ reason: String) -> MarbleSyntaxError {
        MarbleSyntaxError(reason: reason, text: text, column: index + 1)
    }

    private mutating func pass(frames: Int) {
        frame += frames
        index += 1
    }

    private mutating func mark(_ character: Character) {
        let symbol: Symbol =
            switch character {
            case "|": .completed
            case "#": .error
            case "^": .subscription
            case "!": .unsubscription
            default: .element(character)
            }
        marks.append(Mark(symbol: symbol, frame: frame, column: index + 1))
    }

    private mutating func readGroup() throws(MarbleSyntaxError) {
        let (begin, before) = (index, marks.count)
        index += 1
        while index < characters.count, characters[index] != ")" {
            switch characters[index] {
            case "-", "{", "}": throw fault("time does not pass in a group: all of it happens at once")
            case "(": throw fault("a group in a group")
            case let character where character.isWhitespace: break
            case let character: mark(character)
            }
            index += 1
        }
        guard index < characters.count else { throw fault("the group has no `)`", at: begin) }
        guard marks.count > before else { throw fault("the group is empty", at: begin) }
        pass(frames: 1)
    }

    private mutating func readSpan(resolution: Double) throws(MarbleSyntaxError) {
        let begin = index
        guard let end = characters[begin...].firstIndex(of: "}") else { throw fault("the time span has no `}`") }
        let span = String(characters[(begin + 1)..<end])
        guard let amount = Self.frames(in: span, resolution: resolution), amount >= 0 else {
            throw fault("`{\(span)}` is not a time span: write {20} for frames, or {10ms}, {1.5s}, {2m}")
        }
        guard amount < 1e12 else { throw fault("`{\(span)}` is too long") }
        let frames = amount.rounded()
        guard abs(amount - frames) < 1e-6 else {
            throw fault("`{\(span)}` is not a whole number of frames, which last \(resolution) s each")
        }
        index = end
        pass(frames: Int(frames))
    }

    private func fault(_ reason: String, at index: Int) -> MarbleSyntaxError {
        MarbleSyntaxError(reason: reason, text: text, column: index + 1)
    }

    private static func frames(in span: String, resolution: Double) -> Double? {
        // "ms" is tried first, because it ends in "s".
        for (suffix, seconds) in [("ms", 1e-3), ("s", 1), ("m", 60)] where span.hasSuffix(suffix) {
            return Double(span.dropLast(suffix.count)).map { $0 * seconds / resolution }
        }
        return UInt32(span).map(Double.init)
    }
}

/// The reason why a marble string cannot be read. The description has an arrow below `column`.
struct MarbleSyntaxError: Error, CustomStringConvertible {
    let reason: String
    let text: String
    let column: Int

    var description: String {
        // The text as one line, so that the arrow points to the right column.
        let line = String(text.map { $0.isWhitespace ? " " : $0 })
        return """
            This marble string cannot be read: \(reason) (column \(column)).
                \(line)
                \(String(repeating: " ", count: column - 1))^
            """
    }
}
