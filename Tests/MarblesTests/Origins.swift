/// Maps each element of a result to the source element from which it comes. A picture draws the two in the same colour.
///
/// Source elements are numbered in the order of their columns. Elements with equal text have the same number. The
/// origin is the first of these that exists:
///
/// 1. a source's element with the same text in the same column;
/// 2. if a label draws an inner sequence, the element whose text is a prefix of the result's text: `1` for `1a`;
/// 3. if every result element has a source element's text (the operator only passes elements on): a source's element
///    with the same text in an earlier column;
/// 4. if there is one source, the element in the same column (the operator replaces elements). A list has no single
///    origin, unless it replaces a list;
/// 5. if there is one source, an element with the same text in an earlier column.
struct Origins {
    private var numbers: [String: Int] = [:]
    private var marks: [Mark] = []
    private let sources: Range<Int>
    private let hasInner: Bool
    private let passesOn: Bool

    init(_ diagram: Diagram, _ played: [[Timeline]]) {
        sources = 0..<(diagram.lines.firstIndex(where: \.isCode) ?? max(0, diagram.lines.count - 1))
        hasInner = diagram.lines.contains { $0.inner != nil }
        func elements(of lines: Range<Int>) -> [Mark] {
            played[lines].joined().flatMap(\.marks).filter(\.isElement)
        }
        for mark in elements(of: sources).sorted(by: { $0.column < $1.column }) {
            marks.append(Mark(column: mark.column, text: Self.plain(mark.text)))
            if numbers[Self.plain(mark.text)] == nil { numbers[Self.plain(mark.text)] = numbers.count }
        }
        let texts = Set(marks.map(\.text))
        passesOn = elements(of: sources.upperBound..<played.count).allSatisfy { texts.contains(Self.plain($0.text)) }
    }

    /// The number of the origin of `mark`; nil if it has none.
    func number(of mark: Mark, in line: Int) -> Int? {
        let text = Self.plain(mark.text)
        if sources.contains(line) { return numbers[text] }
        let now = marks.filter { $0.column == mark.column }
        if now.contains(where: { $0.text == text }) { return numbers[text] }
        let before = marks.filter { $0.column <= mark.column }
        if hasInner, let begin = before.last(where: { text.hasPrefix($0.text) }) { return numbers[begin.text] }
        let isEarlier = before.contains { $0.text == text }
        if passesOn, isEarlier { return numbers[text] }
        guard sources.count == 1 else { return nil }
        if let only = now.last, !text.hasPrefix("[") || only.text.hasPrefix("[") { return numbers[only.text] }
        return isEarlier ? numbers[text] : nil
    }

    private static func plain(_ text: String) -> String { text.filter { $0 != "\"" } }
}
