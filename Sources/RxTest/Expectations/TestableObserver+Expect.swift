/// Expectations on the received events. They fail the running test (Swift Testing or XCTest) at the line of the call,
/// and draw both timelines:
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
    /// Expects exactly the events of the marble string `marbles`.
    ///
    /// ```swift
    /// let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
    /// let observer = scheduler.start { source.map { $0 * 10 } }
    /// observer.expect("--a--b--|", values: ["a": 10, "b": 20])
    /// ```
    ///
    /// `values` maps marks, such as `a`, to elements; other marks are converted from their text. `#` stands for
    /// `error`. `origin` is the time of `^`, or of the first frame if there is no `^`. A failure is reported at
    /// `fileID`, `filePath`, `line` and `column`.
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

    /// Expects exactly the events `expected`. The drawing of a difference begins at `origin`. A failure is reported at
    /// `fileID`, `filePath`, `line` and `column`.
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
