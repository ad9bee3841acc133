#if canImport(XCTest)
    internal import XCTest

    /// Asserts that `lhs` equals `rhs`; compares errors by their descriptions. Reports failures at `file` and `line`.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Event<Element>], _ rhs: [Event<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertEqual(lhs, rhs, by: { $0 == $1 }, file: file, line: line)
    }

    /// Asserts that `lhs` equals `rhs`; compares errors by their descriptions. Reports failures at `file` and `line`.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertEqual(lhs, rhs, by: { $0 == $1 }, file: file, line: line)
    }

    /// Asserts that `lhs` equals `rhs`; compares errors by their descriptions. Reports failures at `file` and `line`.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [MaybeEvent<Element>], _ rhs: [MaybeEvent<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertEqual(lhs, rhs, by: { $0 == $1 }, file: file, line: line)
    }

    /// Asserts that `lhs` equals `rhs`; compares errors by their descriptions. Reports failures at `file` and `line`.
    public func XCTAssertEqual(
        _ lhs: [CompletableEvent], _ rhs: [CompletableEvent], file: StaticString = #file, line: UInt = #line
    ) {
        assertEqual(lhs, rhs, by: { $0 == $1 }, file: file, line: line)
    }

    /// Asserts that `lhs` equals `rhs`, including times; compares errors by their descriptions. Reports failures at
    /// `file` and `line`.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>], file: StaticString = #file,
        line: UInt = #line
    ) {
        assertEqual(lhs, rhs, file: file, line: line)
    }

    /// Asserts that `lhs` equals `rhs`, including times; compares errors by their descriptions. Reports failures at
    /// `file` and `line`.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Recorded<Event<Element?>>], _ rhs: [Recorded<Event<Element?>>], file: StaticString = #file,
        line: UInt = #line
    ) {
        assertEqual(lhs, rhs, file: file, line: line)
    }

    /// Asserts that `stream` contains exactly `elements` in this order, and no terminal event. Times are ignored.
    /// Reports failures at `file` and `line`.
    public func XCTAssertRecordedElements<Element: Equatable>(
        _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #file, line: UInt = #line
    ) {
        if let end = stream.first(where: { $0.value.isStopEvent }) {
            XCTFail("The sequence ended: \(end)", file: file, line: line)
            return
        }
        assertEqual(stream.compactMap { $0.value.element }, elements, by: { $0 == $1 }, file: file, line: line)
    }

    private func assertEqual<Element: Equatable>(
        _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>], file: StaticString, line: UInt
    ) {
        let origin = min(TestScheduler.Defaults.subscribed, (lhs + rhs).map(\.time).min() ?? 0)
        guard let text = difference(expected: rhs, actual: lhs, from: origin) else { return }
        XCTFail("\(lhs) is not equal to \(rhs)\n\(text)", file: file, line: line)
    }

    private func assertEqual<Item>(
        _ lhs: [Item], _ rhs: [Item], by areEqual: (Item, Item) -> Bool, file: StaticString, line: UInt
    ) {
        guard let index = firstDifference(lhs, rhs, by: areEqual) else { return }
        func item(of list: [Item]) -> String { index < list.count ? "\(list[index])" : "nothing" }
        XCTFail(
            """
            \(lhs) is not equal to \(rhs)
            They differ first at index \(index): \(item(of: lhs)) and \(item(of: rhs))
            """, file: file, line: line)
    }

    private func firstDifference<Item>(_ lhs: [Item], _ rhs: [Item], by areEqual: (Item, Item) -> Bool) -> Int? {
        let common = zip(lhs, rhs).enumerated().first { !areEqual($0.element.0, $0.element.1) }?.offset
        return common ?? (lhs.count == rhs.count ? nil : min(lhs.count, rhs.count))
    }
#endif
