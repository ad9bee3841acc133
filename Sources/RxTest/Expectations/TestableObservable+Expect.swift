extension TestableObservable {
    /// Expects exactly these subscriptions, in order. Each of `marbles` is a marble string that begins at `origin`: `^`
    /// marks the subscription, `!` the disposal. A failure is reported at `fileID`, `filePath`, `line` and `column`.
    ///
    /// ```swift
    /// source.expectSubscriptions("^----!", "---^----!")  // from 200 to 205, and from 203 to 208
    /// ```
    public func expectSubscriptions(
        _ marbles: String..., from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expectSubscriptions(marbles, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Like the other overload, for tables of test cases. `marbles`, `origin`, `fileID`, `filePath`, `line` and
    /// `column` have the same meaning.
    ///
    /// ```swift
    /// @Test(arguments: [(1, ["^--!"]), (2, ["^--!", "---^--!"])])
    /// func everyAttemptSubscribes(attempts: Int, subscriptions: [String]) {
    ///     _ = scheduler.start { source.retry(attempts) }
    ///     source.expectSubscriptions(subscriptions)
    /// }
    /// ```
    public func expectSubscriptions(
        _ marbles: [String], from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let expected = marbles.compactMap { text in
            scheduler.read(text, site) { marbles throws(MarbleSyntaxError) in try marbles.subscription(from: origin) }
        }
        // If a string is invalid, `read` has already failed the test.
        guard expected.count == marbles.count else { return }
        if let text = difference(expected: expected, actual: subscriptions, from: origin) { site.fail(text) }
    }
}
