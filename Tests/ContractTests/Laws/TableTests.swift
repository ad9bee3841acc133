#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Testing

/// The table is complete: what `Sources` declares has its rows.
@Suite struct TableTests {
    @Test("every public operator has a row for each of its forms")
    func operators() throws {
        let declared = try declarations(in: "Sources/RxSwift/Operators")
        #expect(declared.count > 100, "the scan has found next to nothing")
        let rows = Dictionary(grouping: Table.rows, by: \.name).mapValues(\.count)
        // What an observable has that is no operator.
        for (name, count) in declared where !["asObservable()", "subscribe(_:)"].contains(name) {
            #expect(rows[name, default: 0] >= count, "\(name) is declared \(count) times")
        }
        let known = Set(declared.keys)
        for row in Table.rows where row.name.contains("(") {
            #expect(known.contains(row.name), "\(row.name) is no operator's name")
        }
    }

    @Test("every subject and every relay has a row", arguments: ["Sources/RxSwift/Subjects", "Sources/RxRelay"])
    func subjects(_ folder: String) throws {
        let text = try sources(in: folder).joined()
        let subjects = text.matches(of: /public (?:final )?class (\w+)/).map { String($0.1) }
        #expect(subjects.count >= 3)
        for subject in subjects { #expect(Table.rows.contains { $0.name == subject }, "\(subject)") }
    }

    @Test("no two rows are alike")
    func distinct() {
        for (name, rows) in Dictionary(grouping: Table.rows, by: \.testDescription) { #expect(rows.count == 1, "\(name)") }
    }

    /// How often each public function is declared, by its name with argument labels.
    private func declarations(in folder: String) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for text in try sources(in: folder) {
            for match in text.matches(of: /public (static )?(?:__consuming )?func `?(\w+)`?(?:<[^(]*>)?\(/) {
                let labels = labels(text[match.range.upperBound...])
                found["\(match.1 ?? "")\(match.2)(\(labels))", default: 0] += 1
            }
        }
        return found
    }

    /// The labels of a parameter list, from behind its opening parenthesis on.
    private func labels(_ text: Substring) -> String {
        var labels = ""
        var depth = 0
        var word = ""
        var isLabel = true
        for character in text {
            switch character {
            case "(", "[", "{": depth += 1
            case ")" where depth == 0: return labels
            case ")", "]", "}": depth -= 1
            case "," where depth == 0:
                isLabel = true
                word = ""
            case ":" where depth == 0 && isLabel:
                labels += word.split(whereSeparator: \.isWhitespace).first.map { "\($0):" } ?? ""
                isLabel = false
            default: break
            }
            if isLabel && character != "," { word.append(character) }
        }
        return labels
    }

    private func sources(in folder: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8)
        }
    }
}
