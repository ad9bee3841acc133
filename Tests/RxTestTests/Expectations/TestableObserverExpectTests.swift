import RxSwift
import TestSupport
import Testing

@testable import RxTest

@Suite struct TestableObserverExpectTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func observer<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObserver<Element> {
        let observer = scheduler.createObserver(Element.self)
        for event in events {
            scheduler.scheduleAt(event.time) { observer.on(event.value) }
        }
        scheduler.start()
        return observer
    }

    private func observer<Element>(_ text: String, of type: Element.Type = Element.self) -> TestableObserver<Element> {
        observer(scheduler.events(text))
    }

    @Test func expectedEventsPass() {
        let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
        let observer = scheduler.start { source.map { $0 * 10 } }
        observer.expect("--a--b--|", values: ["a": 10, "b": 20])
        observer.expect([.next(202, 10), .next(205, 20), .completed(208)])
        source.expectSubscriptions("^-------!")
    }

    @Test func theExampleOfTheDocumentationHolds() {
        let source = scheduler.createHotObservable("-a---b-c-----d|", values: ["a": 1, "b": 2, "c": 3, "d": 4])
        let observer = scheduler.start { source.debounce(.seconds(3), scheduler: scheduler) }
        observer.expect("----a-----c---(d|)", values: ["a": 1, "c": 3, "d": 4])
        source.expectSubscriptions("^-------------!")
    }

    @Test func failureOutsideTestIsPrintedAsOneLine() {
        let site = Site(fileID: "Demo/main.swift", filePath: "/demo/main.swift", line: 7, column: 1)
        #expect(
            site.unheard("The events are not those expected, from 200:\n    expected  1", in: "/demo/.build/debug/Demo")
                == "/demo/main.swift:7: expect failed outside a test, so no test framework reports it: "
                + "The events are not those expected, from 200:")
    }

    @Test(arguments: ["/demo/.build/debug/DemoPackageTests.xctest", "xctest", "/usr/bin/swiftpm-testing-helper"])
    func testProgramReportsFailureThroughItsFramework(program: String) {
        let site = Site(fileID: "Demo/main.swift", filePath: "/demo/main.swift", line: 7, column: 1)
        #expect(site.unheard("The events are not those expected", in: program) == nil)
    }

    @Test func failureShowsExpectedAndActualTimelines() {
        let observer: TestableObserver<Int> = observer([.next(202, 10), .next(204, 20), .completed(210)])
        #expect(
            report { observer.expect("--a--b----|", values: ["a": 10, "b": 20]) } == """
                The events are not those expected, from 200:
                    expected  --a--b----|
                    actual    --a-b-----|
                                  ^^
                    a = 10
                    b = 20
                    204: expected nothing, got b
                    205: expected b, got nothing
                """)
    }

    @Test func groupsKeepTheColumnsTogether() {
        #expect(
            report { observer("--1-3|", of: Int.self).expect("--(12)-3|") } == """
                The events are not those expected, from 200:
                    expected  --(12)-3|
                    actual    --1   -3|
                                ^^^^
                    202: expected 1 2, got 1
                """)
    }

    @Test func errorsAreNamed() {
        #expect(
            report { observer([.error(203, TestError.b, Int.self)]).expect("---#", error: TestError.a) } == """
                The events are not those expected, from 200:
                    expected  ---#
                    actual    ---#
                                 ^
                    203: expected # (a), got # (b)
                """)
    }

    @Test func longSilenceIsASpan() {
        #expect(
            report { observer("{30}1|", of: Int.self).expect("{30}2|") } == """
                The events are not those expected, from 200:
                    expected  {30}2|
                    actual    {30}1|
                                  ^
                    230: expected 2, got 1
                """)
    }

    @Test func silenceOfTwentyFramesIsDrawn() {
        let twenty = report { observer("{20}1|", of: Int.self).expect("{20}2|") }
        #expect(twenty.contains("    actual    \(String(repeating: "-", count: 20))1|\n"))
    }

    @Test func silenceOfMoreThanTwentyFramesIsASpan() {
        #expect(report { observer("{21}1|", of: Int.self).expect("{21}2|") }.contains("    actual    {21}1|\n"))
    }

    @Test func timesMayBeAsFarApartAsThereAre() {
        let nothing: TestableObserver<Int> = observer([])
        let text = report { nothing.expect([.next(-5, 2), .next(.max, 3)], from: -10) }
        #expect(text.contains("from -10:\n    expected  -----2{\(Int.max)}3\n"))
    }

    @Test func elementsWithLongTextsHaveALegend() {
        let observer: TestableObserver<String> = observer([
            .next(200, "hello\nworld"), .next(201, "-"), .next(202, "a"),
        ])
        #expect(
            report { observer.expect([.next(200, "hello")]) } == """
                The events are not those expected, from 200:
                    expected  b--
                    actual    cda
                              ^^^
                    b = hello
                    c = hello\\nworld
                    d = -
                    200: expected b, got c
                    201: expected nothing, got d
                    202: expected nothing, got a
                """)
    }

    @Test func eventsBeforeTheSubscriptionAreDrawn() {
        let text = report { observer("-1^2", of: Int.self).expect("2", from: 201) }
        #expect(text.contains("from 199:\n    expected  --2\n    actual    1-2\n"))
    }

    @Test func aLongListIsDrawnNearItsFirstDifference() {
        let actual = (0..<10_000).map { Recorded.next(200 + $0, $0) }
        var expected = actual
        expected[5_000] = .next(5_200, -1)
        let text = report { observer(actual).expect(expected) }
        #expect(text.contains("from 5194:"))
        #expect(text.contains("5200: expected g, got h"))
        #expect(text.count < 1_000)
    }

    @Test func twentyFourFramesAreDrawnWithoutOmission() {
        let actual = (0..<24).map { Recorded.next(200 + $0, $0) }
        var expected = actual
        expected[0] = .next(200, -1)
        #expect(!report { observer(actual).expect(expected) }.contains(" ..."))
    }

    @Test func omittedEventsAtTheEndAreMarked() {
        let actual = (0..<30).map { Recorded.next(200 + $0, $0) }
        var expected = actual
        expected[0] = .next(200, -1)
        #expect(report { observer(actual).expect(expected) }.split(separator: "\n").count { $0.hasSuffix(" ...") } == 2)
    }

    @Test func anotherOrderIsADifference() {
        let observer: TestableObserver<Int> = observer([.next(201, 1), .next(202, 2)])
        #expect(report { observer.expect([.next(202, 2), .next(201, 1)]) }.contains("not in the expected order"))
    }

    @Test func drawnEventsCanBeParsedAgain() {
        let events = scheduler.events("-a(bc)--{33}d|", of: String.self)
        let text = report { observer(events).expect("") }
        let drawn = text.split(separator: "\n").first { $0.contains("actual") }?.dropFirst("    actual    ".count)
        #expect(drawn.map { scheduler.events(String($0)) } == events)
    }

    @Test func aFailureIsReportedAtItsLine() {
        let observer = observer("-1", of: Int.self)
        let line = #line + 2
        withKnownIssue {
            observer.expect("-2")
            observer.expect([])
        } matching: {
            [line, line + 1].contains($0.sourceLocation?.line)
        }
    }
}
