extension AsyncSequence {
    /// This sequence as an observable, iterated anew by a task for each subscription.
    ///
    /// Elements are sent on the task's thread. Disposing the subscription cancels the task. The sequence's error ends the observable, but a
    /// `CancellationError` completes it.
    ///
    /// - Parameter priority: of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        Observable.create { observer in
            // Unchecked, because the task alone runs it, once, and iterates a copy of the sequence; copies of one of single use share it,
            // as they do without a task.
            nonisolated(unsafe) let iterate: () async throws -> Void = {
                for try await element in self { observer.onNext(element) }
            }
            let task = Task(priority: priority) {
                do {
                    try await iterate()
                    observer.onCompleted()
                } catch is CancellationError {
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            return Disposables.create { task.cancel() }
        }
    }
}
