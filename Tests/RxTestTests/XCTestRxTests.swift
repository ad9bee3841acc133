#if os(Linux)
    import RxSwift
    import RxTest
    import TestSupport
    import Testing
    import XCTest

    /// Serialized, because a process can have only one running XCTest case.
    @MainActor
    @Suite(.serialized) struct XCTestRxTests {
        private func failures(_ body: @escaping () -> Void) throws -> Int {
            let testCase = Assertion(name: "assertion") { _ in body() }
            testCase.run()
            return try #require(testCase.testRun).totalFailureCount
        }

        private func failure(_ body: @escaping () -> Void) throws -> String {
            let reports = Reports()
            XCTestObservationCenter.shared.addTestObserver(reports)
            defer { XCTestObservationCenter.shared.removeTestObserver(reports) }
            #expect(try failures(body) == 1)
            return reports.texts.joined(separator: " ")
        }

        /// A test case without the asynchronous `setUp` and `tearDown`, which would block the main queue until all
        /// other tests have ended.
        private final class Assertion: XCTestCase {
            private let body: XCTestCaseClosure

            required init(name: String, testClosure: @escaping XCTestCaseClosure) {
                body = testClosure
                super.init(name: name, testClosure: testClosure)
            }

            override func invokeTest() {
                do {
                    try body(self)
                } catch {
                    XCTFail("\(error)")
                }
            }
        }

        private final class Reports: XCTestObservation {
            private(set) var texts: [String] = []

            func testCase(
                _ testCase: XCTestCase, didFailWithDescription description: String, inFile file: String?,
                atLine line: Int
            ) {
                texts.append(description)
            }
        }

        @Test func equalRecordedEventsPass() throws {
            #expect(
                try failures {
                    XCTAssertEqual(
                        Recorded.events(.next(210, 1), .error(220, TestError.a)),
                        [.next(210, 1), .error(220, TestError.a)])
                } == 0)
        }

        @Test func unequalRecordedEventsFailOnce() throws {
            #expect(
                try failures {
                    XCTAssertEqual(Recorded.events(.next(210, 1), .completed(220)), [.next(210, 2), .completed(230)])
                } == 1)
            #expect(try failures { XCTAssertEqual(Recorded.events(.next(210, 1)), [.next(211, 1)]) } == 1)
        }

        @Test func unequalRecordedEventsAreDrawn() throws {
            let text = try failure {
                XCTAssertEqual(Recorded.events(.next(210, 1), .completed(220)), [.next(210, 1), .completed(221)])
            }
            #expect(
                text.hasSuffix(
                    """
                    is not equal to [next(1) @ 210, completed @ 221]
                    The events are not those expected, from 200:
                        expected  ----------1----------|
                        actual    ----------1---------|-
                                                      ^^
                        220: expected nothing, got |
                        221: expected |, got nothing
                    """))
        }

        @Test func aMissingEventFails() throws {
            #expect(
                try failures { XCTAssertEqual(Recorded.events(.next(210, 1), .completed(220)), [.next(210, 1)]) } == 1)
            #expect(try failures { XCTAssertEqual([], Recorded.events(.next(210, 1))) } == 1)
        }

        @Test func optionalElementsAreCompared() throws {
            let some: [Recorded<Event<Int?>>] = [.next(1, 1), .next(2, nil)]
            let other: [Recorded<Event<Int?>>] = [.next(1, 1), .next(2, 2)]
            #expect(try failures { XCTAssertEqual(some, some) } == 0)
            #expect(try failures { XCTAssertEqual(some, other) } == 1)
        }

        @Test func plainEventsAreCompared() throws {
            #expect(try failures { XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed]) } == 0)
            #expect(try failures { XCTAssertEqual([Event.next(1)], [Event.next(2)]) } == 1)
        }

        @Test func eventsOfTraitsAreCompared() throws {
            let single: [SingleEvent<Int>] = [.success(1), .failure(TestError.a)]
            let maybe: [MaybeEvent<Int>] = [.success(1), .completed]
            let completable: [CompletableEvent] = [.completed, .error(TestError.a)]
            #expect(try failures { XCTAssertEqual(single, [.success(1), .failure(TestError.a)]) } == 0)
            #expect(try failures { XCTAssertEqual(single, [.success(1), .failure(TestError.b)]) } == 1)
            #expect(try failures { XCTAssertEqual(maybe, [.success(1), .completed]) } == 0)
            #expect(try failures { XCTAssertEqual(maybe, [.completed, .success(1)]) } == 1)
            #expect(try failures { XCTAssertEqual(completable, [.completed, .error(TestError.a)]) } == 0)
            #expect(try failures { XCTAssertEqual(completable, [.completed]) } == 1)
        }

        @Test func recordedElementsAreComparedWithoutTheirTimes() throws {
            #expect(
                try failures { XCTAssertRecordedElements(Recorded.events(.next(210, 1), .next(220, 2)), [1, 2]) } == 0)
            #expect(
                try failures { XCTAssertRecordedElements(Recorded.events(.next(210, 1), .next(220, 2)), [2, 1]) } == 1)
        }

        @Test func recordedElementsMustNotEnd() throws {
            #expect(
                try failures { XCTAssertRecordedElements(Recorded.events(.next(210, 1), .completed(220)), [1]) } == 1)
            #expect(
                try failures {
                    XCTAssertRecordedElements(Recorded.events(.next(210, 1), .error(220, TestError.a)), [1])
                } == 1)
        }
    }
#endif
