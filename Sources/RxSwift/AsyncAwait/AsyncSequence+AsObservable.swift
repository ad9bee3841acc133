extension AsyncSequence {
    /// This sequence as an observable. Each subscription starts a task that iterates the sequence.
    ///
    ///     connections.asObservable()
    ///
    /// Elements are sent on the task's thread. The task has the given `priority`. Disposing of the subscription cancels
    /// the task. If the sequence throws an error, the observable fails with it. A `CancellationError` completes the
    /// observable.
    ///
    /// [Pausing](doc:BoundedMemory): the task waits for room downstream before it sends, and blocks no thread.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        // Each task iterates its own copy. If copies share state, as those of a single-use sequence do, the program
        // must not subscribe twice.
        nonisolated(unsafe) let iterate: (AnyObserver<Element>) async throws -> Void = { observer in
            for try await element in self { try await observer.send(element) }
        }
        return Observable.create(priority: priority) { observer in
            do { try await iterate(observer) } catch is CancellationError {}
        }
    }
}
