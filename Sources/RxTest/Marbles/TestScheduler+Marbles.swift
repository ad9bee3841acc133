/// Marble strings, such as `"--a-(bc)-|"`: see the article *Marble strings*. An invalid string fails the test at its
/// line. A source or a list of events is then empty, and `start` subscribes at 200.
extension TestScheduler {
    /// A source that sends the events of a marble string at their times, with or without observers.
    ///
    /// ```swift
    /// // b at 202, c at 205, the end at 206
    /// let source = scheduler.createHotObservable("-a-^-b--c|", values: ["a": 1, "b": 2, "c": 3])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: the events and their times.
    ///   - type: the elements' type, if it cannot be inferred.
    ///   - values: the elements that the marks stand for.
    ///   - error: the error that `#` stands for.
    ///   - origin: the time of `^`, or of the first frame if there is no `^`.
    ///   - fileID: the file in which a fault is reported.
    ///   - filePath: the file's path.
    ///   - line: the line at which a fault is reported.
    ///   - column: the column at which a fault is reported.
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

    /// A source that sends the events of a marble string to each observer, at times counted from its subscription.
    ///
    /// ```swift
    /// // a 2 steps after the subscription, the end 5 steps after it
    /// let source = scheduler.createColdObservable("--a--|", values: ["a": 1])
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: the events and their times after the subscription, without `^`.
    ///   - type: the elements' type, if it cannot be inferred.
    ///   - values: the elements that the marks stand for.
    ///   - error: the error that `#` stands for.
    ///   - fileID: the file in which a fault is reported.
    ///   - filePath: the file's path.
    ///   - line: the line at which a fault is reported.
    ///   - column: the column at which a fault is reported.
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

    /// The events of a marble string, for comparison with other events.
    ///
    /// ```swift
    /// #expect(observer.events == scheduler.events("--a--|", values: ["a": 10]))
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: the events.
    ///   - type: the elements' type, if it cannot be inferred.
    ///   - values: the elements that the marks stand for.
    ///   - error: the error that `#` stands for.
    ///   - origin: the time of `^`, or of the first frame if there is no `^`.
    ///   - fileID: the file in which a fault is reported.
    ///   - filePath: the file's path.
    ///   - line: the line at which a fault is reported.
    ///   - column: the column at which a fault is reported.
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

    /// Makes a sequence, subscribes to it and disposes of the subscription at the times of a marble string. Runs the
    /// scheduler until nothing is scheduled. The sequence is made at 100, or at the subscription if that is earlier.
    ///
    /// ```swift
    /// let observer = scheduler.start("--^----!") { source }  // subscribed at 202, disposed of at 207
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: `^` is the subscription, `!` its disposal. Without `!`, the subscription is disposed of at
    ///     1000, or at once if it begins after 1000.
    ///   - origin: the time of the first frame.
    ///   - fileID: the file in which a fault is reported.
    ///   - filePath: the file's path.
    ///   - line: the line at which a fault is reported.
    ///   - column: the column at which a fault is reported.
    ///   - create: makes the sequence.
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
