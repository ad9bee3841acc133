import RxStreams
import Testing

struct SubjectPatternTests {
    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("a", "a.b", false), ("a.b", "a", false), ("*", "a", true),
        ("*", "a.b", false), ("a.*", "a.b", true), ("a.*", "a", false), ("*.b", "a.b", true), (">", "a", true),
        (">", "a.b.c", true), ("a.>", "a.b.c", true), ("a.>", "a", false), ("a.>", "b.c", false),
        ("a.*.c", "a.b.c", true), ("a.*.c", "a.b.d", false),
        ("a.b", "a..b", false), ("a", "a.", false), ("a", ".a", false),
        // Subjects are compared by bytes, as in the engines.
        ("caf\u{e9}", "cafe\u{301}", false), ("*.*", "a.\u{301}b", true), ("\u{212a}", "K", false),
    ])
    func matches(_ pattern: String, _ subject: String, _ isMatch: Bool) throws {
        #expect(try SubjectPattern(pattern).matches(subject) == isMatch)
    }

    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("a.*", "*.b", true), ("a.*", "a.b.c", false), ("a.>", "a.b.c", true),
        ("a.>", "b.>", false), ("*", ">", true), ("a.b", "a.>", true), ("a", "a.>", false), (">", ">", true),
        ("caf\u{e9}", "cafe\u{301}", false), ("caf\u{e9}", "caf\u{e9}", true),
    ])
    func overlapIsSymmetric(_ one: String, _ other: String, _ isOverlap: Bool) throws {
        let (one, other) = (try SubjectPattern(one), try SubjectPattern(other))
        #expect(one.overlaps(other) == isOverlap)
        #expect(other.overlaps(one) == isOverlap)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\r\nPUB b", "a.>.b", "a>", "*a", "a.b*", "\u{7f}"])
    func invalidPatternsAreRefused(_ text: String) {
        #expect(throws: BrokerError.self) { try SubjectPattern(text) }
    }

    @Test(arguments: ["a", "a.b", "ä.ö", "$KV.x.y", "a-b_c.1", "!", "~", "\u{80}", "=.?", "*", "*.>", "a.*.c"])
    func validPatternsAreAccepted(_ text: String) throws {
        #expect(try SubjectPattern(text).description == text)
    }

    @Test func canonicallyEqualPatternsAreDistinct() throws {
        #expect(try SubjectPattern("caf\u{e9}") != SubjectPattern("cafe\u{301}"))
        #expect(try SubjectPattern("a.b") == SubjectPattern("a.b"))
    }

    @Test func messageSubjectWithWildcardIsRefused() {
        #expect(throws: BrokerError.self) { try SubjectPattern.checkSubject("a.*") }
        #expect(throws: Never.self) { try SubjectPattern.checkSubject("a.b") }
    }

    @Test(arguments: [("a.b", false), ("a.*", true), ("*.b", true), ("a.>", true), (">", true)])
    func hasWildcardsIsCorrect(_ pattern: String, _ hasSome: Bool) throws {
        #expect(try SubjectPattern(pattern).hasWildcards == hasSome)
    }
}
