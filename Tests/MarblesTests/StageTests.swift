import RxSwift
import Testing

/// Mistakes are found: otherwise a passing diagram would prove nothing.
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

/// An example whose closure's source text the tests read.
private let example = Example("none") { m in m.source.skip(while: { $0 < 3 }) }
