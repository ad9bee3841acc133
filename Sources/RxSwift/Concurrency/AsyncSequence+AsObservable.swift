extension AsyncSequence {
    /// This sequence as an observable, iterated anew by a task for each subscription.
    ///
    ///     connections.asObservable()
    ///
    /// Elements are sent on the task's thread. Disposing the subscription cancels the task. The sequence's error ends
    /// the observable, but a `CancellationError` completes it. In a bounded subscription the task takes the next
    /// element when there is room.
    ///
    /// [Pausing](doc:BoundedMemory): the task that reads the sequence waits, and blocks no thread.
    ///
    /// - Parameter priority: of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        // Unchecked, because each task runs it once, and iterates a copy of the sequence; copies of one of single use
        // share it, as they do without a task.
        nonisolated(unsafe) let iterate: (AnyObserver<Element>) async throws -> Void = { observer in
            for try await element in self { try await observer.send(element) }
        }
        return Observable.create(priority: priority) { observer in
            do { try await iterate(observer) } catch is CancellationError {}
        }
    }
}
