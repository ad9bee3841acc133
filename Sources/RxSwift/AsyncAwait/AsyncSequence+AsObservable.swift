extension AsyncSequence {
    /// This sequence as an observable. A new task iterates it for each subscription.
    ///
    ///     connections.asObservable()
    ///
    /// Elements are sent on the task's thread. Disposing of the subscription cancels the task. The sequence's error
    /// ends the observable, but a `CancellationError` completes it.
    ///
    /// [Pausing](doc:BoundedMemory): the task takes the next element only when there is room. It blocks no thread while
    /// it waits.
    ///
    /// - Parameter priority: the priority of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        // Unchecked, because each task iterates its own copy of the sequence. Copies of a single-use sequence share its
        // state, as they do without a task.
        nonisolated(unsafe) let iterate: (AnyObserver<Element>) async throws -> Void = { observer in
            for try await element in self { try await observer.send(element) }
        }
        return Observable.create(priority: priority) { observer in
            do { try await iterate(observer) } catch is CancellationError {}
        }
    }
}
