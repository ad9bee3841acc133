import RxSwift
import Testing

/// What plays a diagram. Its code is held against the labels of the diagram.
// @unchecked Sendable because its closures capture nothing: each is a row of a table.
struct Example: @unchecked Sendable, CustomTestStringConvertible {
    /// The picture's name, without `marble-`.
    let name: String
    let file: String
    let line: Int
    let put: (Stage) -> Void

    /// An example of several results, each of which it gives to the stage itself.
    init(
        results name: String, file: String = #filePath, line: Int = #line, _ put: @escaping (Stage) -> Void
    ) {
        self.name = name
        self.file = file
        self.line = line
        self.put = put
    }

    /// An example of one result.
    ///
    /// - Parameters:
    ///   - name: the picture's name, without `marble-`.
    ///   - show: the text of an element.
    ///   - file: where its code stands.
    ///   - line: the line of the code.
    ///   - make: makes the result.
    init<Sequence: ObservableConvertibleType>(
        _ name: String, show: @escaping (Sequence.Element) -> String = { String(describing: $0) },
        file: String = #filePath, line: Int = #line, _ make: @escaping (Stage) -> Sequence
    ) {
        self.init(results: name, file: file, line: line) { $0.result(make($0), show: show) }
    }

    static let all =
        creating + combining + transforming + filtering + timing + errors + sharing + subjects + ext + resilience

    var testDescription: String { name }
}

extension Example {
    var diagram: Diagram? { Diagram.all.first { $0.picture?.name == name } }

    /// The labels that this example's code does not contain.
    func labelsOfOtherCode(in diagram: Diagram) -> [String] {
        let code = Self.withoutStage(Self.code(of: file, from: line))
        return diagram.lines.filter(\.isCode).map(\.label).filter { !code.contains(Self.code(of: $0)) }
    }

    /// An example's code: up to where the next one begins.
    private static func code(of file: String, from line: Int) -> String {
        let text = Repository.text(of: String(file.dropFirst(Repository.root.count + 1))) ?? ""
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(line - 1)
        let end = rows.dropFirst().firstIndex { $0.contains("Example(") } ?? rows.endIndex
        return rows[..<end].joined()
    }

    /// Code as a label has it: without spaces, the stage and its schedulers.
    private static func withoutStage(_ code: String) -> String {
        var result = ""
        var isInWord = false
        var rest = code[...]
        while let first = rest.first {
            if !isInWord, rest.hasPrefix("m.") {
                rest = rest.dropFirst(2)
                continue
            }
            isInWord = first.isLetter || first.isNumber
            result.append(first)
            rest = rest.dropFirst()
        }
        return result.filter { !$0.isWhitespace }.replacingOccurrences(of: ",scheduler:clock", with: "")
            .replacingOccurrences(of: ",scheduler:steps", with: "")
            .replacingOccurrences(of: ".columns", with: "columns")
    }

    /// A label's code, without spaces. What is left out, or said in words, ends it.
    private static func code(of label: String) -> String {
        var code = label
        for (words, kept) in [("...", ""), (":)", ":"), ("), ", ")")] {
            // In words, and not as the next argument.
            guard let range = code.range(of: words), words != "), " || !code[range.upperBound...].contains("(") else {
                continue
            }
            code = code[..<range.lowerBound] + kept
        }
        code = code.filter { !$0.isWhitespace }
        guard let begin = code.range(of: "──") ?? code.range(of: "--"),
            let end = code[begin.upperBound...].firstIndex(of: "|")
        else { return code }
        let isOfElement = code[..<begin.lowerBound].hasSuffix("$0")
        let before = isOfElement ? code[..<begin.lowerBound].dropLast(2) : code[..<begin.lowerBound]
        return before + (isOfElement ? "inner($0)" : "inner()") + code[code.index(after: end)...]
    }
}
