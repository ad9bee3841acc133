import Foundation

struct Diagram: Sendable {
    /// A label with its timelines. A cold source has one for each subscription.
    struct Line: Sendable {
        let label: String
        var timelines: [Timeline]
        let remark: String

        var isCode: Bool { label.contains { "({".contains($0) } }

        /// The sequence drawn in the label, as in `flatMap { $0 ──a──b──| }`.
        var inner: (text: Substring, timeline: Timeline)? {
            let words = label.split { " ,(){}".contains($0) }
            return words.lazy.compactMap { word in Timeline(Array(word)[...], at: 0).map { (word, $0) } }.first
        }
    }

    let file: String
    let line: Int
    let lines: [Line]
    /// The picture's name, without `marble-`, and its alt text.
    let picture: (name: String, alt: String)?

    var last: Int { lines.flatMap(\.timelines).map(\.last).max() ?? 0 }

    static let all = Repository.files(in: "Sources").flatMap { read(Repository.text(of: $0) ?? "", of: $0) }
}

enum Repository {
    static let root = String(#filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined())

    static func path(_ relative: String) -> String { "\(root)/\(relative)" }

    static func text(of relative: String) -> String? { try? String(contentsOfFile: path(relative), encoding: .utf8) }

    static func files(in folder: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }
}

extension Diagram {
    /// The indented blocks of a file's doc comments that contain timelines.
    static func read(_ text: String, of file: String) -> [Diagram] {
        guard text.contains("///     ") else { return [] }
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        var diagrams: [Diagram] = []
        var block: [Line] = []
        for (index, row) in rows.enumerated() {
            if row.hasPrefix("///     ") {
                if let line = Line(String(row.dropFirst(8))) { block.append(line) }
            } else if !block.isEmpty {
                let below = rows[index...].drop { $0 == "///" }.first ?? ""
                diagrams.append(Diagram(file: file, line: index, lines: fromZero(block), picture: picture(below)))
                block = []
            }
        }
        return diagrams
    }

    /// Renumbers the columns, so that the first column of the diagram is 0.
    private static func fromZero(_ lines: [Line]) -> [Line] {
        let first = lines.flatMap(\.timelines).map(\.begin).min() ?? 0
        return lines.map { line in
            var line = line
            line.timelines = line.timelines.map { timeline in
                let marks = timeline.marks.map { Mark(column: $0.column - first, text: $0.text) }
                return Timeline(begin: timeline.begin - first, end: timeline.end - first, marks: marks)
            }
            return line
        }
    }

    private static func picture(_ row: Substring) -> (name: String, alt: String)? {
        guard row.hasPrefix("/// !["), row.hasSuffix(")"), let cut = row.range(of: "](marble-") else { return nil }
        return (String(row[cut.upperBound...].dropLast()), String(row[..<cut.lowerBound].dropFirst(6)))
    }
}

extension Diagram.Line {
    /// Reads a label, a colon, timelines, and a remark after three spaces. If the label contains colons, it ends at the
    /// last colon before timelines.
    fileprivate init?(_ text: String) {
        let characters = Array(text)
        for colon in characters.indices.dropLast().reversed() where characters[colon] == ":" {
            guard characters[colon + 1] == " " else { continue }
            guard let (timelines, remark) = Self.timelines(characters[(colon + 1)...]) else { continue }
            let label = String(characters[..<colon])
            self.init(label: String(label.drop { $0 == " " }), timelines: timelines, remark: remark)
            return
        }
        return nil
    }

    private static func timelines(_ text: ArraySlice<Character>) -> ([Timeline], String)? {
        var timelines: [Timeline] = []
        var index = text.startIndex
        while let begin = text[index...].firstIndex(where: { $0 != " " }) {
            var end = begin
            while end < text.endIndex, text[end] != " " {
                end = "([\"".contains(text[end]) ? Timeline.closing(end, in: text) ?? end + 1 : end + 1
            }
            guard let timeline = Timeline(text[begin..<end], at: begin) else {
                return timelines.isEmpty || begin - index < 3 ? nil : (timelines, String(text[begin...]))
            }
            timelines.append(timeline)
            index = end
        }
        return timelines.isEmpty ? nil : (timelines, "")
    }
}
