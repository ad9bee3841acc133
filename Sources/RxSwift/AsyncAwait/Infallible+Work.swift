extension Infallible {
    /// A sequence that asynchronous work feeds. A new task does the work for each subscription.
    ///
    /// As ``ObservableType/create(detached:priority:work:)``, but the work cannot fail.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached, without the priority and the task-local values of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: the work, called once for each subscription. Its return completes the sequence.
    @_disfavoredOverload
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable (@escaping @Sendable (InfallibleEvent<Element>) -> Void) async -> Void
    ) -> Infallible<Element> {
        Infallible(
            Observable.create(detached: detached, priority: priority) { observer in
                await work { event in
                    switch event {
                    case .next(let element): observer.onNext(element)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }
}
