extension AsyncSequence {
    /// This sequence as an observable. For each subscription, a new task iterates the sequence.
    ///
    ///     connections.asObservable()
    ///
    /// Elements are sent on the task's thread. Disposing of the subscription cancels the task. If the sequence throws
    /// an error, the observable fails with that error, except that a `CancellationError` completes the observable.
    ///
    /// [Pausing](doc:BoundedMemory): before the task sends an element, it waits until there is room downstream. A
    /// waiting task blocks no thread.
    ///
    /// - Parameter priority: the priority of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        // `nonisolated(unsafe)` is safe, because each task iterates its own copy of the sequence. If copies share
        // state, as those of a single-use sequence do, the program must not subscribe twice.
        nonisolated(unsafe) let iterate: (AnyObserver<Element>) async throws -> Void = { observer in
            for try await element in self { try await observer.send(element) }
        }
        return Observable.create(priority: priority) { observer in
            do { try await iterate(observer) } catch is CancellationError {}
        }
    }
}
