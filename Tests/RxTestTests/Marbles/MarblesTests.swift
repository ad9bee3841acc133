import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct MarblesTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func read(_ text: String, from origin: TestTime = 0) -> [Recorded<Event<String>>] {
        scheduler.events(text, error: TestError.a, from: origin)
    }

    @Test func eachMarkTakesOneFrame() {
        #expect(read("--a-b|") == [.next(2, "a"), .next(4, "b"), .completed(5)])
        #expect(read("a#") == [.next(0, "a"), .error(1, TestError.a)])
        #expect(read("---") == [])
        #expect(read("") == [])
    }

    @Test func aGroupIsOneFrame() {
        #expect(read("-(ab|)-c") == [.next(1, "a"), .next(1, "b"), .completed(1), .next(3, "c")])
        #expect(read("(a)(b)") == [.next(0, "a"), .next(1, "b")])
    }

    @Test func spacesAlign() {
        #expect(
            read(" -a  ( b c ) |\n-d") == [
                .next(1, "a"), .next(2, "b"), .next(2, "c"), .completed(3), .next(5, "d"),
            ])
    }

    @Test func spansAreFrames() {
        #expect(read("a{20}b{0}c") == [.next(0, "a"), .next(21, "b"), .next(22, "c")])
    }

    @Test(arguments: [("{30ms}b", 3), ("a{30ms}b", 4), ("{0.5s}b", 50), ("{2m}b", 12_000), ("{1s}b", 100)])
    func spansOfTimeAreMeasuredInTheResolution(text: String, time: TestTime) {
        let fine = TestScheduler(initialClock: 0, resolution: 0.01)
        #expect(fine.events(text, of: String.self, from: 0).last == .next(time, "b"))
    }

    @Test func timesCountFromTheSubscriptionPoint() {
        #expect(read("-a-^-b|", from: 200) == [.next(198, "a"), .next(202, "b"), .completed(203)])
        #expect(read("-(^a)b", from: 200) == [.next(200, "a"), .next(201, "b")])
        #expect(read("-a", from: 200) == [.next(201, "a")])
    }

    @Test func defaultStartIs200() {
        #expect(scheduler.events("-a", of: String.self) == [.next(201, "a")])
    }

    @Test func elementsComeFromValues() {
        #expect(
            scheduler.events("a1-b", values: ["a": 10, "b": 20], from: 0) == [.next(0, 10), .next(1, 1), .next(3, 20)])
        #expect(
            scheduler.events("ab", values: ["a": 1, "b": nil] as [Character: Int?], from: 0) == [
                .next(0, 1), .next(1, nil),
            ])
    }

    @Test func valueOverridesSpelling() {
        #expect(scheduler.events("12", values: ["1": 10], from: 0) == [.next(0, 10), .next(1, 2)])
    }

    @Test func elementsWithoutAValueSpellThemselves() {
        #expect(scheduler.events("7", from: 0) == [.next(0, 7)])
        #expect(scheduler.events("7", from: 0) == [.next(0, "7")])
        #expect(scheduler.events("7é", from: 0) == [.next(0, "7" as Character), .next(1, "é")])
    }

    @Test func defaultErrorIsMarbleError() {
        #expect(scheduler.events("#", of: Int.self, from: 0) == [.error(0, MarbleError())])
        #expect(scheduler.events("#", of: Int.self, error: TestError.b, from: 0) == [.error(0, TestError.b)])
    }

    @Test func aHotSourceFiresAtTheTimesOfTheString() {
        let source = scheduler.createHotObservable("-1-^-2-(3|)", of: Int.self)
        #expect(source.recordedEvents == [.next(198, 1), .next(202, 2), .next(204, 3), .completed(204)])
        #expect(scheduler.start { source }.events == [.next(202, 2), .next(204, 3), .completed(204)])
    }

    @Test func aColdSourceCountsFromItsSubscription() {
        let source = scheduler.createColdObservable("-a|", values: ["a": 1])
        #expect(scheduler.start("---^") { source }.events == [.next(204, 1), .completed(205)])
        #expect(source.subscriptions == [Subscription(203, 205)])
    }

    @Test func aStartIsDisposedOfAsDrawn() {
        let source = scheduler.createHotObservable("--1--2--3--|", of: Int.self)
        #expect(scheduler.start("-^----!") { source }.events == [.next(202, 1), .next(205, 2)])
        #expect(source.subscriptions == [Subscription(201, 206)])
    }

    @Test func aStartWithoutAnEndIsDisposedOfAsUsual() {
        let source = scheduler.createHotObservable("-", of: Int.self)
        _ = scheduler.start("--^", from: 300) { source }
        #expect(source.subscriptions == [Subscription(302, 1000)])
    }

    @Test func aStartMayBeginBeforeTheSequenceIsMadeAsUsual() {
        let source = scheduler.createColdObservable("-a-b-|", values: ["a": 1, "b": 2])
        scheduler.start("--^--!", from: 0) { source }.expect("---a-", values: ["a": 1], from: 0)
        source.expectSubscriptions("--^--!", from: 0)
    }

    @Test func startAfterDefaultEndEndsAtOnce() {
        let source = scheduler.createColdObservable("-", of: Int.self)
        _ = scheduler.start("^", from: 1_001) { source }
        #expect(source.subscriptions == [Subscription(1_001, 1_001)])
    }
}

@Suite struct MarbleFaultTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("a-)", "`)` closes no group", 3), ("-(ab", "the group has no `)`", 2), ("()", "the group is empty", 1),
        ("(a-b)", "time does not pass in a group: all of it happens at once", 3), ("(a(b))", "a group in a group", 3),
        ("{20", "the time span has no `}`", 1), ("--}", "`}` closes no time span", 3),
        ("-{a few}", "`{a few}` is not a time span: write {20} for frames, or {10ms}, {1.5s}, {2m}", 2),
        ("-{-1}", "`{-1}` is not a time span: write {20} for frames, or {10ms}, {1.5s}, {2m}", 2),
        ("-{10ms}", "`{10ms}` is not a whole number of frames, which last 1.0 s each", 2),
        ("{1e99s}", "`{1e99s}` is too long", 1),
        ("^-^", "a second `^`: there is only one subscription point", 3),
        ("-a!", "`!` ends a subscription, and this is a string of events", 3), ("-1-b-", "`b` has no value", 4),
    ])
    func aStringOfEventsSaysWhatIsWrong(text: String, reason: String, column: Int) {
        let arrow = String(repeating: " ", count: column - 1) + "^"
        #expect(
            report { _ = scheduler.events(text, values: ["a": 1]) } == """
                This marble string cannot be read: \(reason) (column \(column)).
                    \(text)
                    \(arrow)
                """)
    }

    @Test(arguments: [
        ("---", "a subscription needs a `^` (column 4)"), ("-!^", "`!` before `^` (column 2)"),
        ("^-^", "a second `^`: a subscription has only one (column 3)"),
        ("^!!", "a second `!`, and a subscription has one (column 3)"),
        ("^a!", "an event, and this is a subscription: `^` begins it, `!` ends it (column 2)"),
    ])
    func invalidSubscriptionStringIsReported(text: String, reason: String) {
        let source = scheduler.createColdObservable("", of: Int.self)
        #expect(report { source.expectSubscriptions(text) }.hasPrefix("This marble string cannot be read: \(reason)."))
        #expect(
            report { _ = scheduler.start(text) { source } }.hasPrefix("This marble string cannot be read: \(reason)."))
    }

    @Test func aColdSourceHasNoSubscriptionPoint() {
        let text = report { #expect(scheduler.createColdObservable("-^a", of: String.self).recordedEvents == []) }
        #expect(text.contains("`^` in a cold source, which counts from each of its subscriptions (column 2)"))
    }

    @Test func linesAreDrawnAsOne() {
        #expect(report { _ = scheduler.events("-a\n\t)", of: String.self) }.hasSuffix("    -a  )\n        ^"))
    }

    @Test func invalidStringIsReportedAtItsLine() {
        let line = #line + 2
        withKnownIssue {
            _ = scheduler.createHotObservable(")", of: Int.self)
        } matching: {
            $0.sourceLocation.map { $0.line == line && $0.fileID.hasSuffix("/MarblesTests.swift") } == true
        }
    }
}
