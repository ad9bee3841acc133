import RxSwift
import Testing

@Suite struct StageTests {
    private func faults(_ rows: String..., put: (Stage) -> Void) throws -> [String] {
        let comment = rows.map { "///     \($0)\n" }.joined() + "///\n"
        let stage = Stage(try #require(Diagram.read(comment, of: "").first))
        put(stage)
        stage.play()
        return stage.faults
    }

    @Test func correctDrawingHasNoFault() throws {
        #expect(try faults("source:  --1--2-|", "skip(1): -----2-|") { $0.result($0.source.skip(1)) } == [])
    }

    @Test(arguments: ["------2|", "-----3-|", "-----2-#", "-----2--", "--1--2-|", "-----(2|)"])
    func differentlyDrawnResultIsReported(_ result: String) throws {
        let found = try faults("source:  --1--2-|", "skip(1): \(result)") { $0.result($0.source.skip(1)) }
        #expect(found == ["`skip(1)`\n  is drawn \(result)\n  and does -----2-|"])
    }

    @Test func sourceSubscribedAtOtherTimeIsReported() throws {
        let found = try faults("a:           --1|", "b:             --2|", "a.concat(b): --1--2|") {
            $0.result($0.a.concat($0.b))
        }
        #expect(found.first == "`b` begins in column 2, and is subscribed in 3")
    }

    @Test func differentSubscriptionCountIsReported() throws {
        let twice = try faults("source:  --1# --1#", "take(1): --(1|)") { $0.result($0.source.take(1)) }
        #expect(twice == ["`source` is subscribed 1 times, and drawn 2"])
        let once = try faults("source:  --1#  --1#", "retry(): --1---1----") { $0.result($0.source.retry()) }
        #expect(once.contains("`source` is subscribed more often than it is drawn"))
    }

    @Test func unplayedLineIsReported() throws {
        let found = try faults("source:  --1|", "other:   --2|", "skip(1): ---|") { $0.result($0.source.skip(1)) }
        #expect(found == ["nothing plays `other`"])
    }

    @Test func labelOfOtherCodeIsReported() throws {
        func others(_ label: String) throws -> [String] {
            let comment = "///     source: --1|\n///     \(label): ---|\n///\n"
            return example.labelsOfOtherCode(in: try #require(Diagram.read(comment, of: "").first))
        }
        #expect(try others("skip(while: { $0 < 3 })") == [])
        #expect(try others("skip(while: { $0 < 4 })") == ["skip(while: { $0 < 4 })"])
    }
}

private let example = Example("none") { m in m.source.skip(while: { $0 < 3 }) }

@Suite struct OriginsTests {
    private func origins(_ rows: String...) throws -> [[Int?]] {
        let comment = rows.map { "///     \($0)\n" }.joined() + "///\n"
        let diagram = try #require(Diagram.read(comment, of: "").first)
        let origins = Origins(diagram, diagram.lines.map(\.timelines))
        return diagram.lines.indices.map { line in
            let marks = diagram.lines[line].timelines.flatMap(\.marks).filter(\.isElement)
            return marks.map { origins.number(of: $0, in: line) }
        }
    }

    @Test func innerElementHasOriginOfOuterElement() throws {
        let found = try origins(
            "source:                   --1-----2---|", "flatMap { $0 ──a──b──| }: ----1a-1b-2a-2b-|")
        #expect(found == [[0, 1], [0, 0, 1, 1]])
    }

    @Test func replacedElementHasOriginOfSameColumn() throws {
        let found = try origins("source:         --1--2--3--|", "map { $0 * 2 }: --2--4--6--|")
        #expect(found == [[0, 1, 2], [0, 1, 2]])
    }

    @Test func delayedElementHasOriginOfSameText() throws {
        let found = try origins("source: --1--2----|", "delay(3 columns): -----1--2-|")
        #expect(found == [[0, 1], [0, 1]])
    }

    @Test func elementMadeOfTwoSourcesHasNoOrigin() throws {
        let found = try origins("a: --1--------|", "b: ----9---8--|", "a.zip(b) { $0 + $1 }: ----10--9--|")
        #expect(found == [[0], [1, 2], [nil, nil]])
    }

    @Test func listOfSeveralElementsHasNoOrigin() throws {
        let found = try origins("source:                --1--2--3-|", "scan(into: []) { ... }: --[1]--[1,2]-|")
        #expect(found == [[0, 1, 2], [nil, nil]])
    }
}
