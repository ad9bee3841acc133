extension BlockingObservable {
    /// Waits for the end and returns all elements.
    ///
    /// - Throws: the sequence's error, `RxError.timeout`, or ``DeadlockError``.
    public func toArray() throws -> [Element] {
        try collect(.all).get()
    }

    /// Waits for the first element and returns it, or nil if the sequence completes without one.
    ///
    /// - Throws: the sequence's error if it comes before an element, `RxError.timeout`, or ``DeadlockError``.
    public func first() throws -> Element? {
        try collect(.first(1)).get().first
    }

    /// Waits for the end and returns the last element, or nil if there was none. Retains only the latest element.
    ///
    /// - Throws: the sequence's error, `RxError.timeout`, or ``DeadlockError``.
    public func last() throws -> Element? {
        try collect(.last).get().last
    }

    /// Waits for the end and returns the only element.
    ///
    /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement` at the second element, the sequence's error,
    ///   `RxError.timeout`, or ``DeadlockError``.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// Waits for the end and returns the only element that satisfies `predicate`.
    ///
    /// - Parameter predicate: called with each element on the delivering thread. Its error ends the wait.
    /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement` at the second such element, the error of the
    ///   sequence or of `predicate`, `RxError.timeout`, or ``DeadlockError``.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try collect(.first(2), where: predicate).get()
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Waits for the end and returns it with all elements. An error, including a timeout, is part of the result.
    public func materialize() -> MaterializedSequenceResult<Element> {
        let outcome = collect(.all)
        return outcome.error.map { .failed(elements: outcome.elements, error: $0) }
            ?? .completed(elements: outcome.elements)
    }
}

extension BlockingObservable {
    private func collect(_ kept: Kept, where predicate: ((Element) throws -> Bool)? = nil) -> Outcome<Element> {
        let collector = Collector<Element>(kept)
        let deadline = timeout.flatMap(Moment.init(after:))
        let subscription = SingleAssignmentDisposable()
        // The subscription is disposed of first, so that the source is released when the waiting thread continues.
        let finish: ((any Error)?) -> Void = { error in
            subscription.dispose()
            collector.end(error)
        }
        var obstacle: DeadlockDetector.Obstacle?
        // A cold source may loop forever. `runApart` starts the loop after this block, so `subscription` can end it.
        CurrentThreadScheduler.runApart {
            let (made, found) = DeadlockDetector.subscribe(to: source) { event in
                // A disposal cannot stop a source during its subscription, so later events are dropped here.
                if subscription.isDisposed { return }
                switch event {
                case .next(let element):
                    do {
                        if try predicate?(element) ?? true, collector.add(element) { finish(nil) }
                    } catch {
                        finish(error)
                    }
                case .error(let error): finish(error)
                case .completed: finish(nil)
                }
            }
            subscription.setDisposable(made)
            obstacle = found
        }
        // On the main thread, the wait runs blocks of the main queue, which may subscribe to cold sources. On the
        // current trampoline, these sources would not start until the wait has ended.
        let outcome = CurrentThreadScheduler.withoutTrampoline { collector.wait(until: deadline, past: obstacle) }
        subscription.dispose()
        return outcome
    }
}
