import Testing

/// The table is complete: what `Sources` declares has its rows.
@Suite struct TableTests {
    @Test("every public operator has a row for each of its forms")
    func operators() throws {
        let declared = try Declarations.functions(in: "Sources/RxSwift/Operators")
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
        let text = try Declarations.sources(in: folder).joined()
        let subjects = text.matches(of: /public (?:final )?class (\w+)/).map { String($0.1) }
        #expect(subjects.count >= 3)
        for subject in subjects { #expect(Table.rows.contains { $0.name == subject }, "\(subject)") }
    }

    @Test("no two rows are alike")
    func distinct() {
        for (name, rows) in Dictionary(grouping: Table.rows, by: \.testDescription) { #expect(rows.count == 1, "\(name)") }
    }
}
