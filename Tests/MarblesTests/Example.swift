import RxCocoa
import RxSwift
import Testing

/// Code that plays a diagram. A test compares it with the diagram's labels.
// @unchecked Sendable because its closures capture nothing: each is a row of a table.
struct Example: @unchecked Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let line: Int
    let put: (Stage) -> Void

    /// Creates an example with several results. `put` passes them to the stage.
    init(
        results name: String, file: String = #filePath, line: Int = #line, _ put: @escaping (Stage) -> Void
    ) {
        self.name = name
        self.file = file
        self.line = line
        self.put = put
    }

    /// Creates an example with one result. `name` is the picture's name, without `marble-`. The example's code begins
    /// at `line` of `file`. `show` returns the text of an element.
    init<Sequence: ObservableConvertibleType>(
        _ name: String, show: @escaping (Sequence.Element) -> String = { String(describing: $0) },
        file: String = #filePath, line: Int = #line, _ make: @escaping (Stage) -> Sequence
    ) {
        self.init(results: name, file: file, line: line) { $0.result(make($0), show: show) }
    }

    static let all =
        creating + combining + transforming + filtering + timing + errors + sharing + subjects + traits + ext
        + resilience + operators

    private static let operators: [Example] =
        questions + folding + operatorErrors + operatorTimes
        + batches + innerSequences + operatorSharing

    var testDescription: String { name }
}

extension Example {
    /// Plays the example on a new stage for `diagram`. The mock gives drivers the stage's virtual time.
    func play(_ diagram: Diagram) -> Stage {
        let stage = Stage(diagram)
        SharingScheduler.mock(scheduler: stage.clock) {
            put(stage)
            stage.play()
        }
        return stage
    }

    var diagram: Diagram? { Diagram.all.first { $0.picture?.name == name } }

    func labelsOfOtherCode(in diagram: Diagram) -> [String] {
        let code = Self.withoutStage(Self.code(of: file, from: line))
        return diagram.lines.filter { $0.isCode && !code.contains(Self.code(of: $0)) }.map(\.label)
    }

    private static func code(of file: String, from line: Int) -> String {
        let text = Repository.text(of: String(file.dropFirst(Repository.root.count + 1))) ?? ""
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(line - 1)
        let end = rows.dropFirst().firstIndex { $0.contains("Example(") } ?? rows.endIndex
        return rows[..<end].joined(separator: "\n")
    }

    /// Code as a label writes it: without spaces, and without the names of the stage and its schedulers.
    private static func withoutStage(_ code: String) -> String {
        let played = code.replacing(/,\s*scheduler: m\.\w+/, with: "").replacing(/\bm\./, with: "")
        return played.replacing(".columns", with: "columns").filter { !$0.isWhitespace }
    }

    /// The code in a label, without spaces and with `inner` in place of the drawn sequence. The code ends before `...`
    /// and before a description in words.
    private static func code(of line: Diagram.Line) -> String {
        var code = line.label
        for (words, kept) in [("...", ""), (":)", ":"), ("), ", ")")] {
            if let range = code.firstRange(of: words) { code = code[..<range.lowerBound] + kept }
        }
        if let inner = line.inner?.text {
            code = code.replacing("$0 \(inner)", with: "inner($0)").replacing(inner, with: "inner()")
        }
        return code.filter { !$0.isWhitespace }
    }
}
