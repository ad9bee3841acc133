extension TestableObservable {
    /// Expects exactly these subscriptions, each drawn as a marble string, in the order in which they began.
    ///
    /// ```swift
    /// source.expectSubscriptions("^----!", "---^----!")  // from 200 to 205, and from 203 to 208
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: one string per subscription, with `^` at its begin and `!` at its end. None expects no
    ///     subscription.
    ///   - origin: the time of the first frame of each.
    ///   - fileID: the file in which a failure is reported.
    ///   - filePath: its path.
    ///   - line: its line.
    ///   - column: its column.
    public func expectSubscriptions(
        _ marbles: String..., from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expectSubscriptions(marbles, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Expects exactly these subscriptions, passed as an array, for tables of test cases.
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
    ///   - marbles: one string per subscription, with `^` at its begin and `!` at its end. None expects no
    ///     subscription.
    ///   - origin: the time of the first frame of each.
    ///   - fileID: the file in which a failure is reported.
    ///   - filePath: its path.
    ///   - line: its line.
    ///   - column: its column.
    public func expectSubscriptions(
        _ marbles: [String], from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let expected = marbles.compactMap { text in
            scheduler.read(text, site) { marbles throws(MarbleSyntaxError) in try marbles.subscription(from: origin) }
        }
        // A string that could not be read has already failed the test.
        guard expected.count == marbles.count else { return }
        if let text = difference(expected: expected, actual: subscriptions, from: origin) { site.fail(text) }
    }
}
