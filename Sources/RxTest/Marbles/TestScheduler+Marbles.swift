/// Marble strings, as in `"--a-(bc)-|"`: the article *Marble strings* of the documentation has their marks. A string
/// that cannot be read fails the test that holds it, with the fault drawn under it, and counts as an empty one.
extension TestScheduler {
    /// A source that fires as a marble string says, whether or not somebody listens.
    ///
    /// ```swift
    /// // b at 202, c at 205, the end at 206
    /// let source = scheduler.createHotObservable("-a-^-b--c|", values: ["a": 1, "b": 2, "c": 3])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: what it fires, and when.
    ///   - type: the elements' type, where nothing else tells it.
    ///   - values: what the marks of elements stand for.
    ///   - error: what `#` stands for.
    ///   - origin: the time of `^`; of the first frame, where there is no `^`.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    public func createHotObservable<Element>(
        _ marbles: String, of type: Element.Type = Element.self, values: [Character: Element] = [:],
        error: any Error = MarbleError(),
        from origin: TestTime = Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<Element> {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        return createHotObservable(
            read(marbles, site) { marbles throws(MarbleSyntaxError) in
                try marbles.events(values: values, error: error, from: origin)
            }
                ?? [])
    }

    /// A source that fires for each observer anew as a marble string says, whose first frame is the time of the
    /// subscription.
    ///
    /// ```swift
    /// // a 2 steps after the subscription, the end 5 steps after it
    /// let source = scheduler.createColdObservable("--a--|", values: ["a": 1])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: what it fires, and how long after the subscription; it has no `^`.
    ///   - type: the elements' type, where nothing else tells it.
    ///   - values: what the marks of elements stand for.
    ///   - error: what `#` stands for.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    public func createColdObservable<Element>(
        _ marbles: String, of type: Element.Type = Element.self, values: [Character: Element] = [:],
        error: any Error = MarbleError(),
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<Element> {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        return createColdObservable(
            read(marbles, site) { marbles throws(MarbleSyntaxError) in
                try marbles.events(values: values, error: error, from: 0, origin: .beginning)
            } ?? [])
    }

    /// The events that a marble string draws, to compare others with.
    ///
    /// ```swift
    /// #expect(observer.events == scheduler.events("--a--|", values: ["a": 10]))
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: the events.
    ///   - type: the elements' type, where nothing else tells it.
    ///   - values: what the marks of elements stand for.
    ///   - error: what `#` stands for.
    ///   - origin: the time of `^`; of the first frame, where there is no `^`.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    public func events<Element>(
        _ marbles: String, of type: Element.Type = Element.self, values: [Character: Element] = [:],
        error: any Error = MarbleError(),
        from origin: TestTime = Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> [Recorded<Event<Element>>] {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        return read(marbles, site) { marbles throws(MarbleSyntaxError) in
            try marbles.events(values: values, error: error, from: origin)
        } ?? []
    }

    /// Makes a sequence at 100, or when it is subscribed to if that is earlier, subscribes to it and disposes of the
    /// subscription as a marble string says, and runs the scheduler to its end.
    ///
    /// ```swift
    /// let observer = scheduler.start("--^----!") { source }  // subscribed at 202, disposed of at 207
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: `^` is when the sequence is subscribed to, `!` when the subscription is disposed of; without
    ///     `!`, at 1000, and at once where it begins after that.
    ///   - origin: the time of the first frame.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
    ///   - create: makes the sequence.
    /// - Returns: the observer that was subscribed, with all that it was told.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ subscription: String, from origin: TestTime = Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let span =
            read(subscription, site) { marbles throws(MarbleSyntaxError) in try marbles.subscription(from: origin) }
            ?? Subscription(Defaults.subscribed)
        let disposed = span.unsubscribe == .max ? Defaults.disposed : span.unsubscribe
        return start(created: Defaults.created, subscribed: span.subscribe, disposed: disposed, create: create)
    }
}

extension TestScheduler {
    /// Reads a marble string; what is wrong with it is reported at the site, and then there is no result.
    func read<Meaning>(
        _ text: String, _ site: Site, as meaning: (Marbles) throws(MarbleSyntaxError) -> Meaning
    ) -> Meaning? {
        do throws(MarbleSyntaxError) {
            return try meaning(Marbles(text, resolution: resolution))
        } catch {
            site.fail("\(error)")
            return nil
        }
    }
}
