import Testing

@Suite struct TableTests {
    private static let folders =
        [
            "Sources/RxSwift/Core", "Sources/RxSwift/Operators", "Sources/RxSwift/Traits",
            "Sources/RxSwift/AsyncAwait", "Sources/RxSwift/Backpressure", "Sources/RxSwift/Instrumentation",
            "Sources/RxRelay",
            "Sources/RxCocoa/SharedSequence", "Sources/RxCocoa/Binding", "Sources/RxCocoa/Control",
            "Sources/RxSwiftExt", "Sources/RxResilience", "Sources/RxOperators",
        ] + foundationFolders

    #if Foundation
        private static let foundationFolders = ["Sources/RxCocoa/Foundation", "Sources/RxSwift/Foundation"]
    #else
        private static let foundationFolders: [String] = []
    #endif

    /// Members of sequences that are not operators.
    private static let exempt: Set = [
        "asObservable()", "PrimitiveSequence.asObservable()", "SharedSequence.asObservable()", "Driver.asDriver()",
        "Signal.asSignal()",
        "PrimitiveSequence.primitiveSequence", "whereBounded(_:)",
        "ControlEvent.asObservable()", "ControlEvent.asControlEvent()", "ControlProperty.asObservable()",
        "ControlProperty.asControlProperty()", "URLSession.rx.shouldLogRequest", "BehaviorRelay.asDriver()",
        "PublishRelay.asSignal()",
    ]

    @Test("every public function and property of a sequence has a row for each of its forms")
    func operators() throws {
        let declared = try Self.folders.reduce(into: [:]) {
            $0.merge(try Declarations.members(in: $1), uniquingKeysWith: +)
        }
        #expect(declared.count > 200, "the scan has found next to nothing")
        let rows = Dictionary(grouping: Table.rows, by: \.name).mapValues(\.count)
        for (name, count) in declared where !Self.exempt.contains(name) {
            #expect(rows[name, default: 0] >= count, "\(name) is declared \(count) times")
        }
        let known = Set(declared.keys)
        for row in Table.rows where row.name.contains("(") {
            #expect(known.contains(row.name), "\(row.name) is no operator's name")
        }
    }

    @Test(
        "every subject and every relay has a row",
        arguments: ["Sources/RxSwift/Subjects", "Sources/RxRelay", "Sources/RxOperators/Sharing"])
    func subjects(_ folder: String) throws {
        let text = try Declarations.sources(in: folder).joined()
        let subjects = text.matches(of: /public (?:final )?class (\w+)/).map { String($0.1) }
        #expect(subjects.count >= 2)
        for subject in subjects { #expect(Table.rows.contains { $0.name == subject }, "\(subject)") }
    }

    @Test("no two rows are equal")
    func distinct() {
        for (name, rows) in Dictionary(grouping: Table.rows, by: \.testDescription) {
            #expect(rows.count == 1, "\(name)")
        }
    }
}
