extension TestableObservable {
    /// Expects exactly these subscriptions, in the order in which they began. Each is a marble string: `^` marks the
    /// subscription, `!` the disposal. Without `marbles`, expects no subscription. The first frame of each string is at
    /// `origin`. A failure is reported at `fileID`, `filePath`, `line` and `column`.
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

    /// Expects exactly these subscriptions, for tables of test cases. The parameters are those of the other overload:
    /// `marbles`, `origin`, `fileID`, `filePath`, `line` and `column`.
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
        // A string that could not be read has already failed the test.
        guard expected.count == marbles.count else { return }
        if let text = difference(expected: expected, actual: subscriptions, from: origin) { site.fail(text) }
    }
}
