/// Expectations on the received events. A failure of Swift Testing or XCTest at the line of the call shows both
/// timelines:
///
/// ```
/// The events are not those expected, from 200:
///     expected  --a--b----|
///     actual    --a-b-----|
///                   ^^
///     a = 10
///     b = 20
///     204: expected nothing, got b
///     205: expected b, got nothing
/// ```
///
/// Both strings can be copied into the test. Errors are compared by their descriptions.
extension TestableObserver where Element: Equatable {
    /// Expects exactly the events of a marble string.
    ///
    /// ```swift
    /// let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
    /// let observer = scheduler.start { source.map { $0 * 10 } }
    /// observer.expect("--a--b--|", values: ["a": 10, "b": 20])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: the events and their times.
    ///   - values: the elements of the marks; others are converted from their text.
    ///   - error: the error of `#`.
    ///   - origin: the time of `^`, or of the first frame if there is no `^`.
    ///   - fileID: where a failure is reported.
    ///   - filePath: the file's path.
    ///   - line: the line.
    ///   - column: the column.
    public func expect(
        _ marbles: String, values: [Character: Element] = [:], error: any Error = MarbleError(),
        from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let expected = scheduler.read(marbles, site) { marbles throws(MarbleSyntaxError) in
            try marbles.events(values: values, error: error, from: origin)
        }
        if let expected { expect(expected, values: values, from: origin, at: site) }
    }

    /// Expects exactly these events.
    ///
    /// - Parameters:
    ///   - expected: the events and their times.
    ///   - origin: the time at which the drawing of a difference begins.
    ///   - fileID: where a failure is reported.
    ///   - filePath: the file's path.
    ///   - line: the line.
    ///   - column: the column.
    public func expect(
        _ expected: [Recorded<Event<Element>>], from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expect(
            expected, values: [:], from: origin,
            at: Site(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func expect(
        _ expected: [Recorded<Event<Element>>], values: [Character: Element], from origin: TestTime, at site: Site
    ) {
        if let text = difference(expected: expected, actual: events, values: values, from: origin) { site.fail(text) }
    }
}
