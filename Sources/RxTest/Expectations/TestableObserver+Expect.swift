/// Expectations on what an observer was told. They fail the test that runs, of Swift Testing or XCTest, where they are
/// called, and draw what was expected and what happened one under the other:
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
/// Both are marble strings as ``TestScheduler`` reads them, so what is right can be copied into the test. Errors are
/// compared by their descriptions.
extension TestableObserver where Element: Equatable {
    /// Expects what a marble string draws, and nothing else.
    ///
    /// ```swift
    /// let source = scheduler.createHotObservable("--a--b--|", values: ["a": 1, "b": 2])
    /// let observer = scheduler.start { source.map { $0 * 10 } }
    /// observer.expect("--a--b--|", values: ["a": 10, "b": 20])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: what it was told, and when.
    ///   - values: what the marks of elements stand for; one that is not there spells its element.
    ///   - error: what `#` stands for.
    ///   - origin: the time of `^`; of the first frame, where there is no `^`.
    ///   - fileID: the source file in which a failure is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
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

    /// Expects these events, and no others.
    ///
    /// - Parameters:
    ///   - expected: what it was told, and when.
    ///   - origin: the time at which the drawing of a difference begins.
    ///   - fileID: the source file in which a failure is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
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
