extension TestableObservable {
    /// Expects these subscriptions and no others, each drawn as a marble string, in the order in which they began.
    ///
    /// ```swift
    /// source.expectSubscriptions("^----!", "---^----!")  // from 200 to 205, and from 203 to 208
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: a subscription each: `^` is when it began, `!` when it ended. None expects that nobody subscribed.
    ///   - origin: the time of the first frame of each.
    ///   - fileID: the source file in which a failure is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    public func expectSubscriptions(
        _ marbles: String..., from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expectSubscriptions(marbles, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Expects these subscriptions and no others, as a table of test cases lists them.
    ///
    /// ```swift
    /// @Test(arguments: [(1, ["^--!"]), (2, ["^--!", "---^--!"])])
    /// func everyAttemptSubscribes(attempts: Int, subscriptions: [String]) {
    ///     _ = scheduler.start { source.retry(attempts) }
    ///     source.expectSubscriptions(subscriptions)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: a subscription each: `^` is when it began, `!` when it ended. None expects that nobody subscribed.
    ///   - origin: the time of the first frame of each.
    ///   - fileID: the source file in which a failure is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    public func expectSubscriptions(
        _ marbles: [String], from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let expected = marbles.compactMap { text in
            scheduler.read(text, site) { marbles throws(MarbleSyntaxError) in try marbles.subscription(from: origin) }
        }
        // What could not be read has failed the test already.
        guard expected.count == marbles.count else { return }
        if let text = difference(expected: expected, actual: subscriptions, from: origin) { site.fail(text) }
    }
}
