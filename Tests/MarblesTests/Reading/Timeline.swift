struct Mark: Equatable {
    let column: Int
    /// `|`, `#`, `^`, or an element's text without spaces.
    let text: String

    var isElement: Bool { !["|", "#", "^"].contains(text) }
}

struct Timeline {
    /// `begin`: the first column. `end`: the column after the last one.
    var begin: Int
    var end: Int
    var marks: [Mark]

    /// The last column with an event, or the last drawn column if the timeline does not end.
    var last: Int {
        guard let mark = marks.last, mark.text == "|" || mark.text == "#" else { return end - 1 }
        return mark.column
    }

    /// The text in each column, for comparisons: without quotes, and with a group's elements joined.
    var meaning: [Int: String] {
        var texts: [Int: String] = [:]
        for mark in marks { texts[mark.column, default: ""] += mark.text.filter { $0 != "\"" } }
        return texts
    }

    var drawn: String {
        var text = String(repeating: " ", count: begin)
        for (column, marks) in Dictionary(grouping: marks, by: \.column).sorted(by: { $0.key < $1.key }) {
            text += String(repeating: "-", count: max(0, column - text.count))
            text += marks.count == 1 ? marks[0].text : "(\(marks.map(\.text).joined()))"
        }
        return text + String(repeating: "-", count: max(0, last + 1 - text.count))
    }
}

extension Timeline {
    /// Reads a timeline that begins at `column`; nil if the text is something else. Spaces are allowed only in brackets
    /// and quotes.
    init?(_ text: ArraySlice<Character>, at column: Int) {
        let isGroup = text.first == "(" && text.last == ")" && text.contains { $0 == "|" || $0 == "#" }
        guard isGroup || text.count == 1 && "|#".contains(text.first!) || text.count(where: Self.isDash) > 1 else {
            return nil
        }
        self.init(begin: column, end: column + text.count, marks: [])
        var index = text.startIndex
        while index < text.endIndex {
            let next = Self.after(index, in: text)
            guard let next else { return nil }
            let column = column + index - text.startIndex
            let piece = text[index..<next]
            if piece.first == "(", !Self.isTuple(piece) {
                marks += Self.group(piece.dropFirst().dropLast()).map { Mark(column: column, text: $0) }
            } else if !Self.isDash(text[index]) {
                marks.append(Mark(column: column, text: String(piece.filter { $0 != " " })))
            }
            index = next
        }
    }

    static func isDash(_ character: Character) -> Bool { character == "-" || character == "─" }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "."
    }

    /// Returns the index after the mark at `index`. A mark is a dash, an end, a word with its brackets, or text in
    /// brackets or quotes.
    private static func after(_ index: Int, in text: ArraySlice<Character>) -> Int? {
        let first = text[index]
        if isDash(first) || "|#^".contains(first) { return index + 1 }
        if isWord(first) {
            let end = text[index...].firstIndex { !isWord($0) } ?? text.endIndex
            return end < text.endIndex && text[end] == "(" ? closing(end, in: text) : end
        }
        return closing(index, in: text)
    }

    static func closing(_ index: Int, in text: ArraySlice<Character>) -> Int? {
        if text[index] == "\"" { return text[(index + 1)...].firstIndex(of: "\"").map { $0 + 1 } }
        guard "([".contains(text[index]) else { return nil }
        var depth = 0
        for next in index..<text.endIndex {
            if "([".contains(text[next]) { depth += 1 }
            if ")]".contains(text[next]) { depth -= 1 }
            if depth == 0 { return next + 1 }
        }
        return nil
    }

    private static func isTuple(_ text: ArraySlice<Character>) -> Bool {
        var depth = 0
        for character in text {
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            if character == ",", depth == 1 { return true }
        }
        return false
    }

    /// Splits a group into marks. Text in brackets or quotes is one mark, and so is a word with its brackets. Any other
    /// character is a mark.
    private static func group(_ text: ArraySlice<Character>) -> [String] {
        var marks: [String] = []
        var index = text.startIndex
        while index < text.endIndex {
            let end = after(index, in: text) ?? index + 1
            let mark = text[index..<end].filter { $0 != " " }
            marks += mark.allSatisfy(isWord) ? mark.map { String($0) } : [String(mark)]
            index = end
        }
        return marks
    }
}
